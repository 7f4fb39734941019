// SPDX-License-Identifier: BSD-3-Clause
// MPI_INFO_ENV: how this process was started. Only the process's own surroundings are read, so that MPI_Info_create_env
// gives the same before MPI_Init, while MPI works and after MPI_Finalize (MPI 5.0, sections 10 and 11.2.1).
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ompi_lite/base/os.h"
#include "ompi_lite/core/info.h"
#include "ompi_lite/include/mpi.h"

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

std::string_view as_value(std::string_view text) { return text.substr(0, MPI_MAX_INFO_VAL - 1); }

void set_command(Info& info) {
  const std::string words = command_line();
  const std::size_t first_end = std::min(words.find('\0'), words.size());
  if (first_end > 0) info.set("command", as_value(std::string_view(words).substr(0, first_end)));
  std::string arguments;
  for (std::size_t at = first_end + 1; at < words.size();) {
    const std::size_t end = std::min(words.find('\0', at), words.size());
    if (!arguments.empty()) arguments += ' ';
    arguments.append(words, at, end - at);
    at = end + 1;
  }
  if (!arguments.empty()) info.set("argv", as_value(arguments));
}

// How many processes were asked for where this program was named on mpirun's command line. Another launcher that is there
// does not say, and then nothing is better than a guess.
void set_maxprocs(Info& info) {
  if (const char* processes = std::getenv("OMPI_LITE_APP_SIZE"))
    info.set("maxprocs", as_value(processes));
  else if (std::getenv("PMIX_NAMESPACE") == nullptr)
    info.set("maxprocs", "1");
}

Info& make_environment_info() {
  Info& info = *new Info(reinterpret_cast<std::uintptr_t>(MPI_INFO_ENV));
  set_command(info);
  set_maxprocs(info);
  info.set("host", os::host_name());
  utsname system;
  if (uname(&system) == 0) info.set("arch", system.machine);
  std::array<char, PATH_MAX> folder;
  if (getcwd(folder.data(), folder.size()) != nullptr) info.set("wdir", as_value(folder.data()));
  return info;
}

}  // namespace

// `thread_level` is not among the keys: it is the level asked for before the program started, and mpirun has no such option.
Info& environment_info() {
  static Info& info = make_environment_info();  // never destroyed
  return info;
}

}  // namespace ompi_lite
