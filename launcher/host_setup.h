// SPDX-License-Identifier: BSD-3-Clause
// What is decided on the host itself before its ranks are started: files of programs, folders, CPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/job_spec.h"
#include "launcher/placement.h"
#include "launcher/program.h"

namespace ompi_lite::launcher {

struct HostSetup {
  std::vector<Program> programs;  // one an app; of apps without ranks here it is empty
  Placement placement;            // of the host's ranks, in their order
};

// Whatever is wrong with the host's part is found here, before any rank has been started.
MaybeFailure set_up_host(const JobSpec& spec, int host, const Machine& machine, HostSetup& setup);

// Whether the launcher of a host can serve so many ranks.
MaybeFailure check_descriptors(std::int64_t ranks, const std::string& host);

// "rank 3 on n1: bound to CPU 2", one a rank of the host.
std::vector<std::string> binding_lines(const JobSpec& spec, int host, const HostSetup& setup);

}  // namespace ompi_lite::launcher
