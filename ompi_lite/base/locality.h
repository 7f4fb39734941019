// SPDX-License-Identifier: BSD-3-Clause
// What the machine looks like, by hwloc: read only when somebody asks, without devices.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/os.h"

struct hwloc_topology;

namespace ompi_lite {

// How far apart two sets of processors are: the smallest thing that holds both.
enum class Distance { same_core, same_cache, same_numa, same_package, same_node };

// The topology of this node. Owned by whoever loaded it; not changed after loading, so any thread may ask.
class Locality {
 public:
  static Result<Locality> load();
  Locality(Locality&&) noexcept;
  Locality& operator=(Locality&&) noexcept;
  ~Locality();

  Distance distance(const os::CpuMask& a, const os::CpuMask& b) const;
  int cores() const;
  int numa_nodes() const;
  int packages() const;
  std::int64_t cache_bytes(int level) const;

  // The kinds of things that machines are made of, from the whole to the parts (hwloc's names: Machine, Package, NUMANode,
  // L3Cache, Core, PU ...): how many this one has, and the number of the single one in which `processors` lie, or -1.
  struct Kind {
    std::string name;
    int count, index;
  };
  std::vector<Kind> kinds(const os::CpuMask& processors) const;
  hwloc_topology* topology() const { return topology_; }

 private:
  explicit Locality(hwloc_topology* topology) : topology_(topology) {}
  hwloc_topology* topology_;
};

// Processors that this process may use: its affinity, cut by the quota of its control groups (rounded up), at least 1.
int usable_cpus();

}  // namespace ompi_lite
