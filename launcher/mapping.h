// SPDX-License-Identifier: BSD-3-Clause
// Which ranks go to which host. Pure arithmetic.
#pragma once

#include <span>
#include <vector>

#include "launcher/hosts.h"
#include "launcher/options.h"

namespace ompi_lite::launcher {

// The host of each rank, as an index into `hosts`. `ranks` of 0 means as many as there are slots (or as ppr says).
//
// By slot: the hosts in turn get as many ranks as they have slots, and where ranks are left another round begins; the ranks
// of a host have consecutive numbers. By node: the hosts in turn get one rank, those whose slots are full only when all are;
// ranks are numbered as they are dealt out. --rank-by changes the numbers alone.
MaybeFailure map_ranks(std::span<const Host> hosts, const Options& options, int ranks, std::vector<int>& host_of_rank);

// Slots of a host in this job: what was given, else what -ppn says, else 1.
int slots_of(const Host& host, const Options& options);

}  // namespace ompi_lite::launcher
