// SPDX-License-Identifier: BSD-3-Clause
// hwloc, told to leave out what costs time: plugins, devices, and the probing of each processor in turn.
#include "ompi_lite/base/locality.h"

#include <hwloc.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "ompi_lite/base/macros.h"

namespace ompi_lite {
namespace {

// The caller frees it.
hwloc_bitmap_t bitmap_of(const os::CpuMask& mask) {
  hwloc_bitmap_t bitmap = hwloc_bitmap_alloc();
  static_assert(sizeof(unsigned long) == sizeof(mask.words[0]));
  for (unsigned i = 0; i < std::size(mask.words); ++i) hwloc_bitmap_set_ith_ulong(bitmap, i, mask.words[i]);
  return bitmap;
}

}  // namespace

Result<Locality> Locality::load() {
  // hwloc reads the variable only here; the application's own value wins.
  bool ours = getenv("HWLOC_PLUGINS_PATH") == nullptr;
  if (ours) setenv("HWLOC_PLUGINS_PATH", "", 1);
  hwloc_topology_t topology = nullptr;
  int rc = hwloc_topology_init(&topology);
  if (ours) unsetenv("HWLOC_PLUGINS_PATH");
  if (rc != 0) return Error(ErrorClass::intern, "hwloc does not start");
  hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(topology) != 0) {
    hwloc_topology_destroy(topology);
    return Error(ErrorClass::intern, "hwloc does not find out what this machine is like");
  }
  return Locality(topology);
}

Locality::Locality(Locality&& other) noexcept : topology_(std::exchange(other.topology_, nullptr)) {}

Locality& Locality::operator=(Locality&& other) noexcept {
  std::swap(topology_, other.topology_);
  return *this;
}

Locality::~Locality() {
  if (topology_) hwloc_topology_destroy(topology_);
}

Distance Locality::distance(const os::CpuMask& a, const os::CpuMask& b) const {
  os::CpuMask all = a;
  all.add(b);
  hwloc_bitmap_t both = bitmap_of(all);
  hwloc_bitmap_and(both, both, hwloc_topology_get_topology_cpuset(topology_));
  hwloc_obj_t object = hwloc_get_obj_covering_cpuset(topology_, both);
  Distance answer = Distance::same_node;
  for (; object && answer == Distance::same_node; object = object->parent) {
    if (object->type == HWLOC_OBJ_PU || object->type == HWLOC_OBJ_CORE) {
      answer = Distance::same_core;
    } else if (hwloc_obj_type_is_cache(object->type)) {
      answer = Distance::same_cache;
    } else if (object->memory_first_child && object->parent) {
      answer = Distance::same_numa;  // memory of its own hangs here, and the machine is larger
    } else if (object->type == HWLOC_OBJ_PACKAGE) {
      answer = Distance::same_package;
    }
  }
  hwloc_bitmap_free(both);
  return answer;
}

int Locality::cores() const { return std::max(1, hwloc_get_nbobjs_by_type(topology_, HWLOC_OBJ_CORE)); }
int Locality::numa_nodes() const { return std::max(1, hwloc_get_nbobjs_by_type(topology_, HWLOC_OBJ_NUMANODE)); }
int Locality::packages() const { return std::max(1, hwloc_get_nbobjs_by_type(topology_, HWLOC_OBJ_PACKAGE)); }

std::int64_t Locality::cache_bytes(int level) const {
  hwloc_obj_type_t type = level == 1 ? HWLOC_OBJ_L1CACHE : level == 2 ? HWLOC_OBJ_L2CACHE : HWLOC_OBJ_L3CACHE;
  hwloc_obj_t cache = hwloc_get_obj_by_type(topology_, type, 0);
  return cache ? static_cast<std::int64_t>(cache->attr->cache.size) : 0;
}

std::vector<Locality::Kind> Locality::kinds(const os::CpuMask& processors) const {
  constexpr hwloc_obj_type_t kTypes[] = {HWLOC_OBJ_MACHINE,  HWLOC_OBJ_PACKAGE, HWLOC_OBJ_DIE,
                                         HWLOC_OBJ_NUMANODE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE,
                                         HWLOC_OBJ_L1CACHE,  HWLOC_OBJ_CORE,    HWLOC_OBJ_PU};
  hwloc_bitmap_t mine = bitmap_of(processors);
  std::vector<Kind> kinds;
  for (hwloc_obj_type_t type : kTypes) {
    hwloc_obj_t object = nullptr;
    int count = 0, index = -1;
    while ((object = hwloc_get_next_obj_by_type(topology_, type, object)) != nullptr) {
      ++count;
      if (hwloc_bitmap_isincluded(mine, object->cpuset) != 0) index = static_cast<int>(object->logical_index);
    }
    kinds.push_back({hwloc_obj_type_string(type), count, index});
  }
  hwloc_bitmap_free(mine);
  return kinds;
}

int usable_cpus() {
  int cpus = std::max(1, os::affinity().count());
  double quota = os::cgroup_cpu_quota();
  if (quota > 0) cpus = std::min(cpus, std::max(1, static_cast<int>(std::ceil(quota))));
  return cpus;
}

}  // namespace ompi_lite
