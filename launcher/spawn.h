// SPDX-License-Identifier: BSD-3-Clause
// Starts one rank: everything is prepared here so that nothing is left to do between fork and exec but system calls.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "launcher/environment.h"
#include "launcher/failure.h"
#include "launcher/program.h"

namespace ompi_lite::launcher {

struct SpawnPlan {
  const Program* program = nullptr;
  Environment environment;
  std::string working_folder;  // empty: ours
  std::vector<int> cpus;       // empty: not bound
  int stdin_fd = -1;           // what becomes 0, 1 and 2 of the rank; all are ours and stay open here
  int stdout_fd = -1;
  int stderr_fd = -1;
  int inherited_fd = -1;     // stays open in the rank under the same number; -1: none
  bool own_session = false;  // without our terminal
};

// A job needs a few descriptors a rank: takes as many as the system allows us. Ranks get back the limit that we had.
void raise_descriptor_limit();

// Starts a rank (or an agent) as the leader of its own process group. It dies with the calling thread (PR_SET_PDEATHSIG), so
// this must be the main thread. All signals must be blocked; the rank gets the dispositions and the mask that mpirun was
// started with.
MaybeFailure spawn_rank(SpawnPlan& plan, pid_t& pid);

}  // namespace ompi_lite::launcher
