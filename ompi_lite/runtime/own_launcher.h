// SPDX-License-Identifier: BSD-3-Clause
// For programs that were started without a launcher: an mpirun of their own starts what they spawn.
#pragma once

#include <sys/types.h>

#include <span>
#include <string>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/runtime/bootstrap.h"

namespace ompi_lite {

// The mpiruns of one process; used by one thread at a time. They end with the processes that they started, and nobody waits
// for them: whoever has disconnected from those need not.
class OwnLaunchers {
 public:
  Error start(std::span<const SpawnedProgram> programs);
  // Whether the one that was started last has ended already.
  Error trouble();

 private:
  void look_after();
  std::vector<pid_t> running_;
  std::string started_last_;  // names of the programs
};

}  // namespace ompi_lite
