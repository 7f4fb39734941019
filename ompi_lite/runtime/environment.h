// SPDX-License-Identifier: BSD-3-Clause
// What MPI_INFO_ENV tells.
#pragma once

#include "ompi_lite/core/info.h"
#include "ompi_lite/runtime/bootstrap.h"

namespace ompi_lite {

// MPI 5.0, section 11.2.1: how this process was started, as far as we know.
void fill_environment(Info& info, const JobInfo& job);
void set_environment_thread_level(Info& info, int level);

}  // namespace ompi_lite
