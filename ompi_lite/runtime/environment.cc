// SPDX-License-Identifier: BSD-3-Clause
// Fills MPI_INFO_ENV.
#include "ompi_lite/runtime/environment.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <string>
#include <string_view>

#include "ompi_lite/base/os.h"
#include "ompi_lite/core/status.h"

namespace ompi_lite {
namespace {

// The words of the command line, as the system keeps them: each followed by a zero.
std::string command_line() {
  std::string words;
  const os::Fd file(open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> part;
  for (ssize_t bytes = 1; file && bytes > 0;) {
    bytes = read(file.get(), part.data(), part.size());
    if (bytes > 0) words.append(part.data(), static_cast<std::size_t>(bytes));
  }
  return words;
}

}  // namespace

void fill_environment(Info& info, const JobInfo& job) {
  const std::string words = command_line();
  const std::size_t first_end = std::min(words.find('\0'), words.size());
  info.set("command", std::string_view(words).substr(0, first_end));
  std::string arguments;
  for (std::size_t at = first_end + 1; at < words.size();) {
    const std::size_t end = std::min(words.find('\0', at), words.size());
    if (!arguments.empty()) arguments += ' ';
    arguments.append(words, at, end - at);
    at = end + 1;
  }
  if (!arguments.empty()) info.set("argv", arguments.substr(0, MPI_MAX_INFO_VAL - 1));
  info.set("maxprocs", std::to_string(job.size));
  info.set("host", os::host_name());
  utsname system;
  if (uname(&system) == 0) info.set("arch", system.machine);
  std::array<char, PATH_MAX> folder;
  if (getcwd(folder.data(), folder.size()) != nullptr)
    info.set("wdir", std::string_view(folder.data()).substr(0, MPI_MAX_INFO_VAL - 1));
}

void set_environment_thread_level(Info& info, int level) {
  constexpr std::array kLevels = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                                  "MPI_THREAD_MULTIPLE"};
  constexpr std::array kValues = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
  for (std::size_t i = 0; i < kLevels.size(); ++i)
    if (kValues[i] == level) info.set("thread_level", kLevels[i]);
}

}  // namespace ompi_lite
