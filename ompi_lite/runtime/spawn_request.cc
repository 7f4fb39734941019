// SPDX-License-Identifier: BSD-3-Clause
// Reads info keys.
#include "ompi_lite/runtime/spawn_request.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/text.h"

namespace ompi_lite::runtime {
namespace {

Error bad_value(const char* key, std::string_view value, const char* wanted) {
  return make_error(ErrorClass::info_value, "info key %s: \"%.*s\" is not %s", key,
                    static_cast<int>(std::min<std::size_t>(value.size(), 100)), value.data(), wanted);
}

// The largest member of first, first + step, ... up to last that is not above most; below 0: there is none.
std::int64_t largest_of(std::int64_t first, std::int64_t last, std::int64_t step, std::int64_t most) {
  if (step < 0) {  // downwards from first: the same members, counted from the other end
    const std::int64_t least = first - (first - last) / -step * -step;
    return first < last ? -1 : largest_of(least, first, -step, most);
  }
  const std::int64_t end = std::min(last, most);
  return first > end ? -1 : first + (end - first) / step * step;
}

Error read_environment(std::string_view lines, SpawnedProgram& program) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.empty()) continue;
    if (line.find('=') == std::string_view::npos || line.front() == '=') return bad_value("env", line, "NAME=VALUE");
    program.environment.emplace_back(line);
  }
  return {};
}

Error read_handler(std::string value, SpawnedProgram& program) {
  std::ranges::transform(value, value.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  constexpr std::array names{"mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"};
  if (std::ranges::find(names, value) == names.end())
    return bad_value("mpi_initial_errhandler", value, "mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return");
  program.environment.push_back("OMPI_LITE_INITIAL_ERRHANDLER=" + value);
  return {};
}

Error read_key(const Info::Entry& entry, SpawnedProgram& program) {
  if (entry.key == "wdir") program.folder = entry.value;
  if (entry.key == "path") program.search_path = entry.value;
  if (entry.key == "host") program.host = entry.value;
  if (entry.key == "soft") return largest_soft(entry.value, program.processes, program.processes);
  if (entry.key == "env") return read_environment(entry.value, program);
  if (entry.key == "mpi_initial_errhandler") return read_handler(entry.value, program);
  if (entry.key == "appnum") {
    if (!parse_number<std::int64_t>(entry.value)) return bad_value("appnum", entry.value, "a whole number");
    program.environment.push_back("OMPI_LITE_APPNUM=" + entry.value);
  }
  return {};
}

}  // namespace

Error largest_soft(std::string_view text, int most, int& number) {
  std::int64_t best = -1;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    std::string_view item = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::array<std::int64_t, 3> parts{0, 0, 1};
    std::size_t given = 0;
    for (bool more = true; more; ++given) {
      const std::size_t colon = item.find(':');
      more = colon != std::string_view::npos;
      const std::optional<std::int64_t> part = parse_number<std::int64_t>(item.substr(0, colon));
      if (given == parts.size() || !part) return bad_value("soft", text, "a list of numbers a or ranges a:b or a:b:c");
      parts[given] = *part;
      item.remove_prefix(more ? colon + 1 : item.size());
    }
    if (given == 1) parts[1] = parts[0];
    if (parts[2] == 0) return bad_value("soft", text, "a list of ranges with steps other than 0");
    best = std::max(best, largest_of(parts[0], parts[1], parts[2], most));
  }
  if (best < 0)
    return make_error(ErrorClass::spawn, "none of the numbers of processes that soft=%.*s names is up to maxprocs (%d)",
                      static_cast<int>(std::min<std::size_t>(text.size(), 100)), text.data(), most);
  number = static_cast<int>(best);
  return {};
}

Error read_program(const char* command, char** argv, int maxprocs, const Info* info, SpawnedProgram& program) {
  if (command == nullptr || *command == '\0') return Error(ErrorClass::arg, "command is a null pointer or empty");
  if (maxprocs < 0) return make_error(ErrorClass::arg, "maxprocs is %d", maxprocs);
  program = SpawnedProgram{};
  program.command = command;
  program.processes = maxprocs;
  for (; argv != nullptr && *argv != nullptr; ++argv) program.arguments.emplace_back(*argv);
  if (info == nullptr) return {};
  for (const Info::Entry& entry : info->entries) OL_TRY(read_key(entry, program));
  return {};
}

}  // namespace ompi_lite::runtime
