// SPDX-License-Identifier: BSD-3-Clause
// The watcher process and the messages to it.
#include "launcher/watcher.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "launcher/strays.h"

namespace ompi_lite::launcher {
namespace {

struct Message {
  int what;  // '+' add a group, '-' forget one, '=' the job's name, '.' dismiss
  pid_t leader;
  char job[64];
};

// Nobody may take the watcher for one of mpirun's processes: not the terminal, not a `pkill mpirun`.
void become_inconspicuous(int keep_fd) {
  (void)setsid();
  sigset_t all;
  sigfillset(&all);
  (void)sigprocmask(SIG_BLOCK, &all, nullptr);
  (void)prctl(PR_SET_NAME, "ol-watcher");
  (void)dup2(keep_fd, 0);  // the pipe; all else, above all our caller's output, gets closed
  (void)syscall(SYS_close_range, 1u, ~0u, 0u);
  (void)chdir("/");
}

[[noreturn]] void watch(pid_t launcher) {
  std::vector<pid_t> leaders;
  std::string job;
  while (true) {
    Message message{};
    const ssize_t got = read(0, &message, sizeof(message));
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof(message))) break;  // end of the pipe: mpirun is gone
    if (message.what == '.') _exit(0);
    if (message.what == '=') job = message.job;
    if (message.what == '+') leaders.push_back(message.leader);
    if (message.what == '-') std::erase(leaders, message.leader);
  }
  for (const pid_t leader : leaders) (void)kill(-leader, SIGKILL);
  // Twice: a process may have forked between being seen and being killed.
  for (int turn = 0; turn < 2; ++turn) {
    for (const pid_t pid : processes_of_job(job, launcher)) (void)kill(pid, SIGKILL);
  }
  _exit(0);
}

}  // namespace

Watcher::~Watcher() {
  if (pipe_fd_ >= 0) close(pipe_fd_);
}

void Watcher::start() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t launcher = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    become_inconspicuous(ends[0]);
    watch(launcher);
  }
  close(ends[0]);
  if (pid < 0) {
    close(ends[1]);
    return;
  }
  pid_ = pid;
  pipe_fd_ = ends[1];
}

void Watcher::tell(char what, pid_t leader, std::string_view job) {
  if (pipe_fd_ < 0) return;
  Message message{what, leader, {}};
  job.copy(message.job, sizeof(message.job) - 1);
  // At most PIPE_BUF bytes, so whole or not at all; a dead watcher gives EPIPE, which changes nothing for the job.
  (void)!write(pipe_fd_, &message, sizeof(message));
}

void Watcher::name_job(std::string_view job) { tell('=', 0, job); }
void Watcher::add_group(pid_t leader) { tell('+', leader); }
void Watcher::forget_group(pid_t leader) { tell('-', leader); }

void Watcher::dismiss() {
  if (pid_ < 0) return;
  tell('.', 0);
  close(pipe_fd_);
  pipe_fd_ = -1;
  // Its exit is ours to collect, whether or not SIGCHLD has been read.
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

}  // namespace ompi_lite::launcher
