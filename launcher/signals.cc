// SPDX-License-Identifier: BSD-3-Clause
// Takes signals over and gives them back.
#include "launcher/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cstring>

namespace ompi_lite::launcher {
namespace {

SignalState inherited;

bool is_ignored(int signal) {
  struct sigaction action;
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

int take_over_signals() {
  sigset_t handled;
  sigemptyset(&handled);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT}) sigaddset(&handled, signal);
  if (!is_ignored(SIGHUP)) sigaddset(&handled, SIGHUP);
  sigset_t blocked = handled;
  // A background job that touches its terminal would be stopped; we look first and then get an error instead.
  sigaddset(&blocked, SIGTTIN);
  sigaddset(&blocked, SIGTTOU);
  sigprocmask(SIG_BLOCK, &blocked, &inherited.mask);
  // Someone who ignored SIGCHLD for us would make the kernel throw our ranks' exit codes away.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, nullptr);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &inherited.pipe_action);
  return signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
}

const SignalState& inherited_signals() { return inherited; }

void restore_signals(const SignalState& state) {
  (void)sigaction(SIGPIPE, &state.pipe_action, nullptr);
  (void)sigprocmask(SIG_SETMASK, &state.mask, nullptr);
}

int next_signal(int fd) {
  signalfd_siginfo info;
  if (read(fd, &info, sizeof(info)) != static_cast<ssize_t>(sizeof(info))) return 0;
  return static_cast<int>(info.ssi_signo);
}

std::string signal_text(int signal) {
  const char* words = sigdescr_np(signal);
  return "signal " + std::to_string(signal) + (words == nullptr ? "" : " (" + std::string(words) + ")");
}

}  // namespace ompi_lite::launcher
