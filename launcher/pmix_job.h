// SPDX-License-Identifier: BSD-3-Clause
// The job in the words of PMIx: what each rank can ask its server about itself and the others.
#pragma once

#include "launcher/job_spec.h"
#include "launcher/placement.h"
#include "launcher/pmix_info.h"

namespace ompi_lite::launcher {

// For PMIx_server_register_nspace on one host. Bindings are told of the ranks of this host alone.
InfoList describe_job(const JobSpec& job, int host, const Placement& placement);

}  // namespace ompi_lite::launcher
