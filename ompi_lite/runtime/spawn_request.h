// SPDX-License-Identifier: BSD-3-Clause
// The arguments of MPI_Comm_spawn in the words of the bootstrap.
#pragma once

#include <string_view>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/info.h"
#include "ompi_lite/runtime/bootstrap.h"

namespace ompi_lite::runtime {

// One program. `argv` may be null. Of the info keys (MPI 5.0, section 11.8.4) wdir, path, host, soft, appnum and
// mpi_initial_errhandler are obeyed, and env: lines of NAME=VALUE; others are ignored.
Error read_program(const char* command, char** argv, int maxprocs, const Info* info, SpawnedProgram& program);

// The largest number up to `most` that the value of `soft` names: "a,b:c,d:e:f", numbers and ranges from b to c in steps.
// 0: none.
Error largest_soft(std::string_view text, int most, int& number);

}  // namespace ompi_lite::runtime
