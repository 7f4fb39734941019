// SPDX-License-Identifier: BSD-3-Clause
// Runs gdb on the processes of a rank and returns what it prints.
#include "launcher/stacks.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "launcher/signals.h"

namespace ompi_lite::launcher {
namespace {

constexpr std::chrono::seconds gdb_patience{10};

struct Process {
  pid_t pid;
  std::string name;
};

std::vector<Process> processes_of_group(pid_t group) {
  std::vector<Process> found;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", problem)) {
    const pid_t pid = static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
    if (pid <= 0 || getpgid(pid) != group) continue;
    std::ifstream stream(entry.path() / "comm");
    Process process{pid, {}};
    std::getline(stream, process.name);
    found.push_back(std::move(process));
  }
  return found;
}

std::string find_in_path(const char* name) {
  const char* search_path = std::getenv("PATH");
  std::string rest = search_path == nullptr ? "/usr/bin:/bin" : search_path;
  while (!rest.empty()) {
    const std::string folder = rest.substr(0, rest.find(':'));
    rest.erase(0, folder.size() + 1);
    const std::string path = folder + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

std::string run_gdb(const std::string& gdb, pid_t pid) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "(no pipe for gdb)\n";
  std::string pid_text = std::to_string(pid);
  const std::array<const char*, 13> words{gdb.c_str(),
                                          "-batch",
                                          "-nx",
                                          "-ex",
                                          "set debuginfod enabled off",
                                          "-ex",
                                          "set pagination off",
                                          "-ex",
                                          "thread apply all backtrace",
                                          "-p",
                                          pid_text.c_str(),
                                          nullptr,
                                          nullptr};
  const pid_t child = fork();
  if (child == 0) {
    const int null_fd = open("/dev/null", O_RDWR);
    (void)dup2(null_fd, 0);
    (void)dup2(ends[1], 1);
    (void)dup2(null_fd, 2);
    (void)syscall(SYS_close_range, 3u, ~0u, 0u);
    restore_signals(inherited_signals());
    execv(words[0], const_cast<char* const*>(words.data()));
    _exit(127);
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return "(gdb does not start)\n";
  }
  std::string text;
  const auto deadline = std::chrono::steady_clock::now() + gdb_patience;
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd wanted{ends[0], POLLIN, 0};
    if (left <= 0 || poll(&wanted, 1, static_cast<int>(left)) == 0) {
      text += "(gdb takes too long)\n";
      (void)kill(child, SIGKILL);
      break;
    }
    std::array<char, 8192> block{};
    const ssize_t got = read(ends[0], block.data(), block.size());
    if (got == 0 || (got < 0 && errno != EINTR)) break;
    if (got > 0) text.append(block.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

}  // namespace

std::string stacks_of_group(pid_t leader) {
  const std::string gdb = find_in_path("gdb");
  if (gdb.empty()) return "(no gdb in PATH)";
  std::string text;
  for (const Process& process : processes_of_group(leader)) {
    text += "process " + std::to_string(process.pid) + " (" + process.name + ")\n" + run_gdb(gdb, process.pid);
  }
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace ompi_lite::launcher
