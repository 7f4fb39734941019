// SPDX-License-Identifier: BSD-3-Clause
// Which CPUs each rank may use: pure arithmetic over a list of places, and the hwloc walk that makes the list.
#pragma once

#include <sched.h>

#include <string>
#include <vector>

#include "launcher/options.h"

struct hwloc_topology;

namespace ompi_lite::launcher {

// One hardware thread that we may use, with the numbers of what it belongs to.
struct Cpu {
  int os_index;
  int core;  // numbers count over the whole machine
  int numa;
  int socket;
};

// What we may use of this machine. Owns the hwloc topology; PMIx keeps pointing into it, so it lives as long as the job.
class Machine {
 public:
  Machine() = default;
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Asks hwloc, in the quick way: no plugins, no x86 back end, no devices.
  MaybeFailure discover();
  const std::vector<Cpu>& cpus() const { return cpus_; }
  bool is_whole() const { return whole_; }  // we were not restricted to a part of the machine
  hwloc_topology* topology() const { return topology_; }

 private:
  hwloc_topology* topology_ = nullptr;
  std::vector<Cpu> cpus_;
  bool whole_ = false;
};

int count_cores(const std::vector<Cpu>& cpus);

// The CPUs of each rank, as OS indexes; an empty list means not bound.
struct Placement {
  BindTo bound_to = BindTo::none;
  std::vector<std::vector<int>> cpus_of_rank;
};

// Pure. `automatic` must have been decided before.
Placement place_ranks(const std::vector<Cpu>& cpus, int ranks, BindTo bind_to, MapBy map_by);

// Whether ranks that are bound to cores would use all of a machine, no core having more than 5/4 of its share.
bool fills_evenly(int ranks, int cores);

// What `automatic` means for this job: cores, when the ranks fill the machine evenly, it is all ours and no other job of
// ours has claimed it; else none. A claim lasts until the process ends.
BindTo decide_binding(const Machine& machine, int ranks, bool ranks_use_threads);

// "0-3,8" for messages.
std::string cpu_list_text(const std::vector<int>& cpus);

}  // namespace ompi_lite::launcher
