// SPDX-License-Identifier: BSD-3-Clause
// The search through /proc.
#include "launcher/strays.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

namespace ompi_lite::launcher {
namespace {

// A zombie has no environment any more, and another user's cannot be read: both read as empty.
std::string environment_of(const char* pid) {
  std::string text;
  const int fd = open((std::string("/proc/") + pid + "/environ").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  std::array<char, 16384> block;
  for (ssize_t got = read(fd, block.data(), block.size()); got > 0; got = read(fd, block.data(), block.size())) {
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  close(fd);
  return text;
}

// A whole NAME=VALUE with its end.
bool holds(const std::string& environment, const std::string& entry) {
  const std::size_t at = environment.find(entry);
  return at != std::string::npos && (at == 0 || environment[at - 1] == '\0');
}

}  // namespace

std::vector<pid_t> processes_of_job(std::string_view job, pid_t launcher) {
  std::vector<pid_t> found;
  if (job.empty()) return found;
  const std::string of_job = "PMIX_NAMESPACE=" + std::string(job) + '\0';
  const std::string of_launcher = "OMPI_LITE_LAUNCHER_PID=" + std::to_string(launcher) + '\0';
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  if (!folder) return found;
  while (const dirent* item = readdir(folder.get())) {
    const auto pid = static_cast<pid_t>(std::atoi(item->d_name));
    if (pid <= 0 || pid == getpid()) continue;
    const std::string text = environment_of(item->d_name);
    if (holds(text, of_job) && holds(text, of_launcher)) found.push_back(pid);
  }
  return found;
}

}  // namespace ompi_lite::launcher
