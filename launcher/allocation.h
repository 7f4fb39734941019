// SPDX-License-Identifier: BSD-3-Clause
// The hosts that a batch system has given to the job in which mpirun runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/environment.h"
#include "launcher/failure.h"
#include "launcher/hosts.h"

namespace ompi_lite::launcher {

struct Allocation {
  std::string system;  // "Slurm", "PBS" or "LSF"; empty: none
  std::vector<Host> hosts;
};

// From the variables of Slurm, PBS and LSF, in this order. A Failure if a batch system says something that cannot be read.
MaybeFailure find_allocation(const Environment& environment, Allocation& allocation);

// The names in Slurm's short form, "n[0-2,05],login,rack[0-1]n[1-2]". Empty where the text has another form.
std::vector<std::string> expand_node_list(std::string_view text);

// The numbers in Slurm's short form, "2(x3),1" for 2,2,2,1. Empty where the text has another form.
std::vector<int> expand_counts(std::string_view text);

}  // namespace ompi_lite::launcher
