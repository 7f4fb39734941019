// SPDX-License-Identifier: BSD-3-Clause
// Finds what belongs to a job but has left its process groups: children under `timeout`, of job-control shells, daemons.
#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

namespace ompi_lite::launcher {

// The processes that have PMIX_NAMESPACE=job in the environment they were started with and `launcher` as the process that
// started them (one machine may stand for several hosts of a job). Looks at all of /proc, so it is for the end of a job that
// does not end well.
std::vector<pid_t> processes_of_job(std::string_view job, pid_t launcher);

}  // namespace ompi_lite::launcher
