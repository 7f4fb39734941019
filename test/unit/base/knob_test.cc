// SPDX-License-Identifier: BSD-3-Clause
// Knobs: parsing, sources, and the messages about bad ones.
#include "ompi_lite/base/knob.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace ompi_lite {
namespace {

constinit Knob<bool> flag{"test_flag", false, Unit::none, "a flag"};
constinit Knob<std::int64_t> size{"test_size", 4096, Unit::bytes, "a size"};
constinit Knob<std::int64_t> number{"test_number", 3, Unit::none, "a number"};
constinit Knob<double> pause_time{"test_time", 0.5, Unit::seconds, "a time"};
constinit Knob<const char*> word{"test_word", "preset", Unit::none, "a word"};
constexpr KnobBase* kKnobs[] = {&flag, &size, &number, &pause_time, &word};
const KnobGroup kGroups[] = {{"test", kKnobs}};

struct CleanKnobs {
  ~CleanKnobs() {
    for (KnobBase* knob : kKnobs) {
      knob->reset();
      unsetenv(knob->environment_name().c_str());
    }
    unsetenv("OMPI_LITE_CONFIG");
  }
};

struct File {
  explicit File(const char* text) : path("knobs-" + std::to_string(rand()) + ".conf") {
    FILE* file = fopen(path.c_str(), "w");
    REQUIRE(file);
    fputs(text, file);
    fclose(file);
  }
  ~File() { remove(path.c_str()); }
  std::string path;
};

std::string sentence_of(Error error) { return error ? error.sentence() : ""; }

TEST_CASE("sizes and times are read with their units", "[base]") {
  CHECK(*parse_integer("64k", Unit::bytes) == 65536);
  CHECK(*parse_integer("64 KiB", Unit::bytes) == 65536);
  CHECK(*parse_integer("2MB", Unit::bytes) == 2 << 20);
  CHECK(*parse_integer("3g", Unit::bytes) == std::int64_t{3} << 30);
  CHECK(*parse_integer("17b", Unit::bytes) == 17);
  CHECK(*parse_integer("12", Unit::none) == 12);
  CHECK(*parse_real("30s", Unit::seconds) == 30);
  CHECK(*parse_real("5ms", Unit::seconds) == Approx(0.005));
  CHECK(*parse_real("10us", Unit::seconds) == Approx(1e-5));
  CHECK(*parse_real("2m", Unit::seconds) == 120);
  CHECK(*parse_real("0.25", Unit::seconds) == 0.25);
  for (const char* bad : {"", "k", "64q", "64kk", "1e9", "9999999999g", "12 13"}) CHECK(!parse_integer(bad, Unit::bytes));
  for (const char* bad : {"", "s", "5 parsecs", "nan", "inf"}) CHECK(!parse_real(bad, Unit::seconds));
  CHECK(!parse_integer("64k", Unit::none));
}

TEST_CASE("the environment beats the named file, and a bad value is named", "[base]") {
  CleanKnobs clean;
  File file("# comment\n\ntest_size = 8k  # eight\ntest_word=from file\n test_flag = yes\n");
  setenv("OMPI_LITE_CONFIG", file.path.c_str(), 1);
  setenv("OMPI_LITE_TEST_SIZE", "1m", 1);
  REQUIRE(sentence_of(load_knobs(kGroups)) == "");
  CHECK(size.value() == 1 << 20);
  CHECK(size.source() == KnobSource::environment);
  CHECK(std::string(word.value()) == "from file");
  CHECK(word.source() == KnobSource::named_file);
  CHECK(flag.value());
  CHECK(number.value() == 3);
  CHECK(number.source() == KnobSource::preset);

  setenv("OMPI_LITE_TEST_NUMBER", "three", 1);
  std::string text = sentence_of(load_knobs(kGroups));
  CHECK(text.find("OMPI_LITE_TEST_NUMBER") != std::string::npos);
  CHECK(text.find("three") != std::string::npos);
}

TEST_CASE("a bad line of a file is an error with file, line and word", "[base]") {
  CleanKnobs clean;
  auto complaint = [](const char* text) {
    File file(text);
    std::string message = sentence_of(load_knob_file(kGroups, file.path.c_str(), KnobSource::named_file));
    CHECK(message.find(file.path) != std::string::npos);
    return message;
  };
  std::string unknown = complaint("test_size = 1\ntest_sise = 2\n");
  CHECK(unknown.find("line 2") != std::string::npos);
  CHECK(unknown.find("test_sise") != std::string::npos);
  CHECK(complaint("just words\n").find("just words") != std::string::npos);
  CHECK(complaint("\n\ntest_time = soon\n").find("soon") != std::string::npos);
  CHECK(sentence_of(load_knob_file(kGroups, "no such file", KnobSource::named_file)).find("no such file") == 0);
  setenv("OMPI_LITE_CONFIG", "no such file", 1);
  CHECK(load_knobs(kGroups));
}

TEST_CASE("a line of a file may have any length, and a folder is no file", "[base]") {
  CleanKnobs clean;
  File file(("# " + std::string(5000, 'x') + "\ntest_number = " + std::string(3000, ' ') + "7\n").c_str());
  CHECK(sentence_of(load_knob_file(kGroups, file.path.c_str(), KnobSource::named_file)).empty());
  CHECK(number.value() == 7);
  CHECK(sentence_of(load_knob_file(kGroups, "/", KnobSource::named_file)) == "/: Is a directory");
}

TEST_CASE("mpirun's --set is checked in its form", "[base]") {
  auto setting = parse_knob_setting("shm_bulk_limit=64m");
  REQUIRE(setting);
  CHECK(setting->environment_name == "OMPI_LITE_SHM_BULK_LIMIT");
  CHECK(setting->value == "64m");
  for (const char* bad : {"", "=", "name", "Name=1", "a b=1", "=5"}) CHECK(!parse_knob_setting(bad));
  CHECK(parse_knob_setting("empty=")->value.empty());
}

TEST_CASE("knobs can be enumerated with their texts", "[base]") {
  CHECK(find_knob(kGroups, "test_time") == &pause_time);
  CHECK(find_knob(kGroups, "test") == nullptr);
  CHECK(pause_time.preset_text() == "0.5s");
  CHECK(size.value_text() == "4096");
  CHECK(word.environment_name() == "OMPI_LITE_TEST_WORD");
  CHECK(base_knobs().knobs.size() >= 4);
}

}  // namespace
}  // namespace ompi_lite
