// SPDX-License-Identifier: BSD-3-Clause
// Rank files of Open MPI's dialect: the host of each rank, and the cores that it may use there.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/failure.h"
#include "launcher/hosts.h"
#include "launcher/placement.h"

namespace ompi_lite::launcher {

// "rank 3=n1 slot=0:1-2" or "rank 3=+n1 slot=p4"
struct RankLine {
  std::string host;  // empty: host number `relative` of the host list
  std::size_t relative = 0;
  std::string slots;  // what stands behind slot=; empty: not bound
  int line = 0;
};

struct RankFile {
  std::string path;
  std::vector<RankLine> ranks;  // by rank
};

// Reads a rank file; failures name file, line and word. Each rank from 0 on is there once.
MaybeFailure parse_rank_file(std::string_view path, std::string_view text, RankFile& file);
MaybeFailure read_rank_file(const std::string& path, RankFile& file);

// The hosts that a rank file names, in its order, each with as many slots as it has ranks.
std::vector<Host> hosts_of(const RankFile& file);

// The name of each rank's host; `given` are the hosts that the user or a batch system names, which must include it (none:
// any).
MaybeFailure names_of_hosts(const RankFile& file, std::span<const Host> given, std::vector<std::string>& names);

// The CPUs that slots stand for, as OS indexes. Items are parted by commas: N or N-M for cores, S:N or S:N-M or S:* for
// cores of socket S, the same after a p for the numbers of hardware threads that the OS gives. Returns what is wrong, or
// nothing.
std::string find_cpus(std::string_view slots, const std::vector<Cpu>& cpus, std::vector<int>& found);

}  // namespace ompi_lite::launcher
