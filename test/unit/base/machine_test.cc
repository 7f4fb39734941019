// SPDX-License-Identifier: BSD-3-Clause
// The numbers of the machine: as text, as a file that may be damaged, foreign, not there or written by several at once; and
// as measured.
#include "ompi_lite/base/machine.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "ompi_lite/base/measure.h"

namespace ompi_lite {
namespace {

// A folder of its own as $XDG_CACHE_HOME, and no knob.
class Cache {
 public:
  Cache() {
    char name[] = "/tmp/ompi_lite_cache.XXXXXX";
    folder = mkdtemp(name);
    setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    machine_file.reset();
  }
  ~Cache() {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(folder);
    unsetenv("XDG_CACHE_HOME");
    machine_file.reset();
  }
  std::string file() const { return machine_file_path(machine_key()); }
  std::string folder;
};

MachineNumbers some_numbers(double factor = 1) {
  MachineNumbers numbers;
  for (std::size_t i = 0; i < kNumbers; ++i) {
    if (!number_infos()[i].hosts) numbers.set(static_cast<Number>(i), number_infos()[i].preset * factor);
  }
  return *parse_numbers(numbers_text(numbers, "k"), "k");  // rounded
}

void write(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

std::size_t files_in(const std::string& folder) {
  std::size_t n = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(folder)) ++n;
  return n;
}

}  // namespace

TEST_CASE("numbers of the machine come back from their text as they were", "[machine]") {
  const MachineNumbers numbers = some_numbers(1.2345678);
  const std::string text = numbers_text(numbers, "a machine");
  auto back = parse_numbers(text, "a machine");
  REQUIRE(back);
  CHECK(*back == numbers);
  CHECK(numbers_text(*back, "a machine") == text);
  CHECK(numbers.complete(2));
  CHECK_FALSE(numbers.has(Number::host_hop));
  CHECK_FALSE(MachineNumbers().complete(1));
  for (const NumberInfo& info : number_infos()) CHECK(numbers_table(numbers).find(info.name) != std::string::npos);
}

TEST_CASE("a text of numbers that was changed anywhere is refused", "[machine]") {
  const std::string text = numbers_text(some_numbers(), "a machine");
  CHECK(std::string(parse_numbers(text, "another").error().sentence()) == "of another machine or version");
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    INFO(i);
    CHECK_FALSE(parse_numbers(changed, "a machine"));
    CHECK_FALSE(parse_numbers(text.substr(0, i), "a machine"));
  }
  CHECK_FALSE(parse_numbers(std::string(1 << 20, '\n'), "a machine"));
  CHECK_FALSE(parse_numbers(std::string("sum "), "a machine"));
}

TEST_CASE("numbers out of all reason are presets, those of a later version are passed over", "[machine]") {
  MachineNumbers numbers;
  for (const double value : {0.0, -1.0, 1e-20, 5.0, std::numeric_limits<double>::quiet_NaN()}) {
    numbers.set(Number::line, value);
    CHECK(numbers == MachineNumbers());
  }
  // A file of a later version: one line more, and its own sum.
  std::string text = numbers_text(some_numbers(), "k");
  text = text.substr(0, text.rfind("sum ")) + "moonlight 3 lx\n";
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char sum[32];
  std::snprintf(sum, sizeof sum, "sum %016llx\n", static_cast<unsigned long long>(h));
  auto read = parse_numbers(text + sum, "k");
  REQUIRE(read);
  CHECK(*read == some_numbers());
}

TEST_CASE("the file of numbers is written whole and read back", "[machine]") {
  const Cache cache;
  CHECK_FALSE(load_numbers());
  CHECK(loaded_or_presets() == MachineNumbers());
  REQUIRE_FALSE(store_numbers(some_numbers()));
  REQUIRE(load_numbers());
  CHECK(*load_numbers() == some_numbers());
  REQUIRE_FALSE(store_numbers(some_numbers(2)));
  CHECK(*load_numbers() == some_numbers(2));
  CHECK(files_in(cache.folder + "/ompi_lite") == 1);  // no drafts are left
  const std::string chosen = cache.folder + "/mine";
  REQUIRE_FALSE(machine_file.set(chosen));
  CHECK_FALSE(load_numbers());
  REQUIRE_FALSE(store_numbers(some_numbers(3)));
  CHECK(std::filesystem::exists(chosen));
  CHECK(*load_numbers() == some_numbers(3));
  REQUIRE_FALSE(machine_file.set("none"));
  CHECK_FALSE(load_numbers());
  CHECK(store_numbers(some_numbers()));
}

TEST_CASE("what is no file of numbers is ignored", "[machine]") {
  const Cache cache;
  REQUIRE_FALSE(store_numbers(some_numbers()));
  const std::string file = cache.file(), text = numbers_text(some_numbers(), machine_key());
  for (const std::string& wrong : {std::string(), std::string("\0\0\0", 3), text.substr(0, text.size() / 2), text + text,
                                   numbers_text(some_numbers(), "another machine"), std::string(1 << 20, 'x')}) {
    write(file, wrong);
    CHECK_FALSE(load_numbers());
    CHECK(loaded_or_presets() == MachineNumbers());
  }
  std::filesystem::remove(file);
  REQUIRE(mkfifo(file.c_str(), 0600) == 0);  // opening it must not wait for a writer
  CHECK_FALSE(load_numbers());
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  CHECK_FALSE(load_numbers());
  CHECK(store_numbers(some_numbers()));  // cannot be replaced
  CHECK(files_in(cache.folder + "/ompi_lite") == 1);
  std::filesystem::remove(file);
  if (geteuid() == 0) {
    write(file, text);
    CHECK(load_numbers());
    REQUIRE(chown(file.c_str(), 12345, 12345) == 0);
    CHECK_FALSE(load_numbers());
  }
}

TEST_CASE("without a home, or with one that cannot be written, nothing is kept and nothing fails", "[machine]") {
  const Cache cache;
  const char* home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  CHECK(machine_file_path("k").empty());
  CHECK_FALSE(load_numbers());
  CHECK(store_numbers(some_numbers()));
  setenv("HOME", "/proc/1", 1);  // nobody can make a folder there
  CHECK(machine_file_path("k").starts_with("/proc/1/.cache/ompi_lite/machine-"));
  CHECK_FALSE(load_numbers());
  CHECK(store_numbers(some_numbers()));
  setenv("HOME", "relative", 1);
  CHECK(machine_file_path("k").empty());
  setenv("XDG_CACHE_HOME", "relative", 1);
  CHECK(machine_file_path("k").empty());
  if (home == nullptr) unsetenv("HOME");
  if (home != nullptr) setenv("HOME", before.c_str(), 1);
}

TEST_CASE("several that write the file at once leave one of the texts", "[machine]") {
  const Cache cache;
  std::vector<std::thread> writers;
  for (int w = 1; w <= 4; ++w) {
    writers.emplace_back([w] {
      for (int i = 0; i < 50; ++i) static_cast<void>(store_numbers(some_numbers(w)));
    });
  }
  int seen = 0;
  while (seen < 200) {
    auto numbers = load_numbers();
    if (!numbers) {
      CHECK(seen == 0);  // not there yet; never half a file
      continue;
    }
    ++seen;
    bool one_of_them = false;
    for (int w = 1; w <= 4; ++w) one_of_them |= *numbers == some_numbers(w);
    REQUIRE(one_of_them);
  }
  for (std::thread& writer : writers) writer.join();
  CHECK(files_in(cache.folder + "/ompi_lite") == 1);
}

TEST_CASE("all who look at a board of numbers see what the first one put there", "[machine]") {
  static int loads;
  loads = 0;
  NumbersBoard board{};
  const auto load = [] { return some_numbers(++loads); };
  CHECK(numbers_of_board(board, load) == some_numbers(1));
  CHECK(numbers_of_board(board, load) == some_numbers(1));
  CHECK(loads == 1);
  NumbersBoard shared{};
  std::vector<MachineNumbers> seen(4);
  std::vector<std::thread> ranks;
  for (MachineNumbers& each : seen) {
    ranks.emplace_back([&each, &shared] {
      each = numbers_of_board(shared, [] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return some_numbers(7);
      });
    });
  }
  for (std::thread& rank : ranks) rank.join();
  for (const MachineNumbers& each : seen) CHECK(each == some_numbers(7));
}

TEST_CASE("the machine is measured in its bound, also on one processor", "[machine]") {
  const os::CpuMask all = os::affinity();
  os::CpuMask one{};
  for (int i = 0; i < 1024 && one.count() == 0; ++i) one.words[i / 64] |= all.words[i / 64] & (std::uint64_t{1} << i % 64);
  // Other work may keep two threads from running at the same time.
  const auto measured = [](const os::CpuMask& processors) {
    MachineNumbers numbers = measure_with_kernels(processors);
    for (int i = 0; i < 20 && !numbers.complete(processors.count()); ++i) numbers = measure_with_kernels(processors);
    return numbers;
  };
  const MachineNumbers alone = measured(one), numbers = measured(all);
  CHECK(alone.complete(1));
  CHECK_FALSE(alone.has(Number::line));
  CHECK(numbers.complete(all.count()));
  CHECK(*parse_numbers(numbers_text(numbers, "k"), "k") == numbers);
  const os::CpuMask after = os::affinity();
  CHECK(std::equal(std::begin(after.words), std::end(after.words), std::begin(all.words)));
}

}  // namespace ompi_lite
