// SPDX-License-Identifier: BSD-3-Clause
// Signals reach mpirun as data: all are blocked and read from a descriptor by the one loop.
#pragma once

#include <signal.h>

#include <string>

namespace ompi_lite::launcher {

// What we were started with and what ranks get back.
struct SignalState {
  sigset_t mask;
  struct sigaction pipe_action;
};

// Blocks what the loop handles, ignores SIGPIPE, and returns a descriptor that delivers the signals. A hang-up that we were
// told to ignore (nohup) stays ignored. Call once, before any thread is made.
int take_over_signals();

const SignalState& inherited_signals();

// Async-signal-safe: for the child between fork and exec.
void restore_signals(const SignalState& state);

// The next signal that waits at the descriptor, 0 if none.
int next_signal(int fd);

// "signal 9 (Killed)".
std::string signal_text(int signal);

}  // namespace ompi_lite::launcher
