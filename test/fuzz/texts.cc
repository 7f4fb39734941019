// SPDX-License-Identifier: BSD-3-Clause
// What people type: the words of mpirun's command line, and files of knobs.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "launcher/options.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/os.h"
#include "test/fuzz/targets.h"

namespace ompi_lite::test {
namespace {

// No texts: a knob keeps each that it was ever given.
constinit Knob<bool> flag{"f", false, Unit::none, "a flag"};
constinit Knob<std::int64_t> size{"size", 4096, Unit::bytes, "a size"};
constinit Knob<std::int64_t> number{"n", 3, Unit::none, "a number"};
constinit Knob<double> pause_time{"time", 0.5, Unit::seconds, "a time"};
constexpr KnobBase* kKnobs[] = {&flag, &size, &number, &pause_time};
const KnobGroup kGroups[] = {{"test", kKnobs}};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t at = text.find('\n');
    words.emplace_back(text.substr(0, at));
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  }
  return words;
}

void read_as_numbers(const std::string& word) {
  double seconds = 0;
  if (!launcher::parse_seconds("time", word, seconds)) OL_CHECK(seconds > 0, seconds, word.size());
  static_cast<void>(parse_integer(word, Unit::bytes));
  static_cast<void>(parse_real(word, Unit::seconds));
  if (auto setting = parse_knob_setting(word)) OL_CHECK(!setting->environment_name.empty(), word.size());
}

}  // namespace

void fuzz_command_line(std::span<const std::byte> input) {
  const std::vector<std::string> words = words_of({reinterpret_cast<const char*>(input.data()), input.size()});
  launcher::Parsed parsed;
  if (!launcher::parse_command_line(words, parsed) && parsed.request == launcher::Request::run) {
    for (const launcher::App& app : parsed.options.apps) OL_CHECK(app.ranks >= 0 && !app.argv.empty(), app.ranks);
  }
  for (const std::string& word : words) read_as_numbers(word);
}

void fuzz_knob_file(std::span<const std::byte> input) {
  const os::Fd file(memfd_create("knobs", MFD_CLOEXEC));
  OL_CHECK(file, errno);
  OL_CHECK(write(file.get(), input.data(), input.size()) == static_cast<ssize_t>(input.size()), errno);
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  for (KnobBase* knob : kKnobs) knob->reset();
  static_cast<void>(load_knob_file(kGroups, path.c_str(), KnobSource::named_file));
  OL_CHECK(size.value() >= 0 && number.value() >= 0 && pause_time.value() >= 0, size.value(), number.value());
  for (KnobBase* knob : kKnobs) OL_CHECK(!knob->value_text().empty(), knob->name());
}

}  // namespace ompi_lite::test
