// SPDX-License-Identifier: BSD-3-Clause
// Placement of ranks on CPUs.
#include "launcher/placement.h"

#include <hwloc.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace ompi_lite::launcher {
namespace {

int ancestor_number(hwloc_topology_t topology, hwloc_obj_t pu, hwloc_obj_type_t type, int otherwise) {
  const hwloc_obj_t ancestor = hwloc_get_ancestor_obj_by_type(topology, type, pu);
  return ancestor == nullptr ? otherwise : static_cast<int>(ancestor->logical_index);
}

int numa_number(hwloc_topology_t topology, hwloc_obj_t pu) {
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    if (hwloc_bitmap_isincluded(pu->cpuset, node->cpuset)) return static_cast<int>(node->logical_index);
  }
  return 0;
}

int unit_of(const Cpu& cpu, BindTo unit) {
  switch (unit) {
    case BindTo::hwthread:
      return cpu.os_index;
    case BindTo::numa:
      return cpu.numa;
    case BindTo::socket:
      return cpu.socket;
    case BindTo::core:
    case BindTo::none:
    case BindTo::automatic:
      break;
  }
  return cpu.core;
}

// A group of CPUs that a rank is bound to as one.
struct Place {
  int unit;
  int group;  // socket or NUMA node that a spreading map goes round; 0 when it does not
  std::vector<int> cpus;
};

std::vector<Place> make_places(const std::vector<Cpu>& cpus, BindTo bind_to, MapBy map_by) {
  std::vector<Place> places;
  for (const Cpu& cpu : cpus) {
    const int unit = unit_of(cpu, bind_to);
    auto place = std::ranges::find(places, unit, &Place::unit);
    if (place == places.end()) {
      const int group = map_by == MapBy::socket ? cpu.socket : map_by == MapBy::numa ? cpu.numa : 0;
      place = places.insert(places.end(), Place{unit, group, {}});
    }
    place->cpus.push_back(cpu.os_index);
  }
  return places;
}

// Orders places so that walking them goes round the groups: first of each group, second of each group, ...
std::vector<Place> spread_over_groups(std::vector<Place> places) {
  std::vector<int> seen_in_group;
  std::vector<std::pair<int, std::size_t>> turns;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto group = static_cast<std::size_t>(places[i].group);
    if (seen_in_group.size() <= group) seen_in_group.resize(group + 1);
    turns.emplace_back(seen_in_group[group]++, i);
  }
  std::ranges::stable_sort(turns, {}, &std::pair<int, std::size_t>::first);
  std::vector<Place> ordered;
  for (const auto& [turn, index] : turns) ordered.push_back(std::move(places[index]));
  return ordered;
}

// An abstract socket is a lock that the kernel drops with the process and that leaves no file. Kept open on purpose.
bool claim_machine() {
  constexpr std::string_view name = "ompi-lite: the job that fills this machine";
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), length) == 0) return true;
  close(fd);
  return false;
}

}  // namespace

Machine::~Machine() {
  if (topology_ != nullptr) hwloc_topology_destroy(topology_);
}

MaybeFailure Machine::discover() {
  const char* plugins = std::getenv("HWLOC_PLUGINS_PATH");
  if (plugins == nullptr) setenv("HWLOC_PLUGINS_PATH", "", 1);  // each plugin costs more than all the rest
  hwloc_topology_t topology = nullptr;
  bool good = hwloc_topology_init(&topology) == 0;
  if (good) {
    // The x86 back end hops over all CPUs and waits in each one's queue; Linux tells the same.
    (void)hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    good = hwloc_topology_load(topology) == 0;
  }
  if (plugins == nullptr) unsetenv("HWLOC_PLUGINS_PATH");
  if (!good) {
    if (topology != nullptr) hwloc_topology_destroy(topology);
    return Failure{"hwloc cannot read the topology of this machine", ExitCode::failure};
  }
  topology_ = topology;
  const hwloc_bitmap_t ours = hwloc_bitmap_alloc();
  if (hwloc_get_cpubind(topology, ours, HWLOC_CPUBIND_PROCESS) != 0) {
    hwloc_bitmap_copy(ours, hwloc_topology_get_allowed_cpuset(topology));
  }
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != nullptr) {
    if (!hwloc_bitmap_isset(ours, pu->os_index)) continue;
    // Where no cores are told (some virtual machines) each hardware thread counts as one.
    const auto index = static_cast<int>(pu->os_index);
    cpus_.push_back(Cpu{index, ancestor_number(topology, pu, HWLOC_OBJ_CORE, index), numa_number(topology, pu),
                        ancestor_number(topology, pu, HWLOC_OBJ_PACKAGE, 0)});
  }
  whole_ = hwloc_bitmap_isincluded(hwloc_topology_get_complete_cpuset(topology), ours) != 0;
  hwloc_bitmap_free(ours);
  return std::nullopt;
}

int count_cores(const std::vector<Cpu>& cpus) {
  std::vector<int> cores;
  for (const Cpu& cpu : cpus) cores.push_back(cpu.core);
  std::ranges::sort(cores);
  return static_cast<int>(std::unique(cores.begin(), cores.end()) - cores.begin());
}

Placement place_ranks(const std::vector<Cpu>& cpus, int ranks, BindTo bind_to, MapBy map_by) {
  Placement placement;
  placement.cpus_of_rank.resize(static_cast<std::size_t>(ranks));
  if (bind_to == BindTo::none || bind_to == BindTo::automatic || cpus.empty()) return placement;
  placement.bound_to = bind_to;
  const std::vector<Place> places = spread_over_groups(make_places(cpus, bind_to, map_by));
  for (std::size_t rank = 0; rank < placement.cpus_of_rank.size(); ++rank) {
    placement.cpus_of_rank[rank] = places[rank % places.size()].cpus;
  }
  return placement;
}

bool fills_evenly(int ranks, int cores) {
  if (ranks < 2 || ranks <= cores / 2) return false;
  const int most_on_a_core = (ranks + cores - 1) / cores;
  return ranks <= cores || 4 * most_on_a_core * cores <= 5 * ranks;
}

BindTo decide_binding(const Machine& machine, int ranks, bool ranks_use_threads) {
  if (ranks_use_threads || !machine.is_whole() || !fills_evenly(ranks, count_cores(machine.cpus()))) return BindTo::none;
  return claim_machine() ? BindTo::core : BindTo::none;
}

std::string cpu_list_text(const std::vector<int>& cpus) {
  std::vector<int> sorted = cpus;
  std::ranges::sort(sorted);
  std::string text;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t last = i;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(sorted[i]);
    if (last > i) text += "-" + std::to_string(sorted[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace ompi_lite::launcher
