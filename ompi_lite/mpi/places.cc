// SPDX-License-Identifier: BSD-3-Clause
// Asks hwloc where this rank runs and the others where they do.
#include "ompi_lite/mpi/places.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "coll/coll.h"
#include "ompi_lite/base/locality.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/include/mpi.h"
#include "ompi_lite/mpi/comms.h"

namespace ompi_lite::mpi {
namespace {

constexpr std::string_view kSharedMemory = "mpi_shared_memory";  // the node (MPI 5.0, section 7.4.2)
constexpr std::string_view kHwloc = "hwloc://";                  // what MPI_Get_hw_resource_info puts before hwloc's names
constexpr const char* kResourceKey = "mpi_hw_resource_type";

int node_of(Communicator& comm) {
  const std::vector<int>& nodes = comm.home().node_of_peer;
  const auto self = static_cast<std::size_t>(comm.local_group().self());
  return self < nodes.size() ? nodes[self] : 0;
}

// The node, then the number of the thing of each kind that this process is bound to; the names go along.
Error find_own_place(Communicator& comm, Place& place, std::vector<std::string>& names) {
  Result<Locality> machine = Locality::load();
  if (!machine) return machine.error();
  place = {node_of(comm)};
  names = {std::string(kSharedMemory)};
  for (const Locality::Kind& kind : machine->kinds(os::affinity())) {
    place.push_back(kind.count > 0 ? kind.index : 0);
    names.push_back(std::string(kHwloc) + kind.name);
  }
  return {};
}

// All ranks take part, also those that could not find out: their place is unknown.
Error gather_places(Communicator& comm, std::vector<Place>& places, std::vector<std::string>& names) {
  constexpr std::size_t kMostLevels = 16;
  std::array<int, kMostLevels + 1> own;
  own.fill(-1);
  Place place;
  if (!find_own_place(comm, place, names)) {
    OL_CHECK(place.size() <= kMostLevels, place.size());
    own[0] = static_cast<int>(place.size());
    std::ranges::copy(place, own.begin() + 1);
  }
  std::vector<int> all(own.size() * static_cast<std::size_t>(comm.size()));
  Datatype& ints = datatype_of(MPI_INT);
  OL_TRY(coll::allgather(Buffer(own.data(), static_cast<Count>(own.size()), &ints),
                         Buffer(all.data(), static_cast<Count>(own.size()), &ints), comm));
  places.clear();
  for (std::size_t at = 0; at < all.size(); at += own.size()) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    places.emplace_back(first, first + std::clamp(all[at], 0, static_cast<int>(kMostLevels)));
  }
  return {};
}

// Equal for those that are in the same thing of a level, whatever node they are on.
int color_at(const Place& place, std::size_t level) {
  constexpr int kThings = 1 << 16;  // of a kind on a node; nodes are fewer than 2^15
  if (level == 0) return place[0];
  return place[level] < 0 ? MPI_UNDEFINED : place[0] * kThings + place[level];
}

// By the outermost level at which all ranks are bound to a single thing, but not to the same. The places of those who give
// MPI_UNDEFINED do not count.
Error color_unguided(Communicator& comm, bool takes_part, int& color, std::string& name) {
  std::vector<Place> places;
  std::vector<std::string> names;
  OL_TRY(gather_places(comm, places, names));
  int mine = takes_part ? 1 : 0;
  std::vector<int> part(places.size());
  Datatype& ints = datatype_of(MPI_INT);
  OL_TRY(coll::allgather(Buffer(&mine, 1, &ints), Buffer(part.data(), 1, &ints), comm));
  const Place& own = places[static_cast<std::size_t>(comm.rank())];
  for (std::size_t level = 0; takes_part && level < own.size(); ++level) {
    bool all_bound = true, differ = false;
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      if (part[rank] == 0) continue;
      const bool known = places[rank].size() == own.size() && color_at(places[rank], level) != MPI_UNDEFINED;
      all_bound &= known;
      differ |= known && color_at(places[rank], level) != color_at(own, level);
    }
    if (!all_bound || !differ) continue;
    color = color_at(own, level);
    name = names[level];
    return {};
  }
  return {};
}

Error color_by_resource(Communicator& comm, const std::string& resource, int& color) {
  if (resource == kSharedMemory) {
    color = node_of(comm);
    return {};
  }
  Place place;
  std::vector<std::string> names;
  OL_TRY(find_own_place(comm, place, names));
  const auto found = std::ranges::find(names, resource);
  if (found != names.end()) color = color_at(place, static_cast<std::size_t>(found - names.begin()));
  return {};
}

}  // namespace

// MPI 5.0, section 7.4.2. No type of resource, and one that this machine does not know, give nobody a communicator.
Error comm_split_type(Communicator& comm, int split_type, int key, Info* info, Communicator*& newcomm) {
  const std::string* resource = info == nullptr ? nullptr : info->find(kResourceKey);
  std::string name;
  switch (split_type) {
    case MPI_UNDEFINED:
    case MPI_COMM_TYPE_HW_UNGUIDED:
      break;
    case MPI_COMM_TYPE_SHARED:
      name = kSharedMemory;
      break;
    case MPI_COMM_TYPE_HW_GUIDED:
    case MPI_COMM_TYPE_RESOURCE_GUIDED:
      if (resource != nullptr) name = *resource;
      break;
    default:
      return make_error(ErrorClass::arg, "split_type is %d", split_type);
  }
  // Who gives MPI_UNDEFINED does not know whether the others split unguided, which takes all.
  int unguided = split_type == MPI_COMM_TYPE_HW_UNGUIDED ? 1 : 0, any_unguided = 0, color = MPI_UNDEFINED;
  Datatype& ints = datatype_of(MPI_INT);
  OL_TRY(coll::allreduce(Buffer(&unguided, 1, &ints), Buffer(&any_unguided, 1, &ints), op_of(MPI_MAX), comm));
  if (any_unguided != 0) OL_TRY(color_unguided(comm, unguided != 0, color, name));
  if (unguided == 0 && !name.empty()) OL_TRY(color_by_resource(comm, name, color));
  OL_TRY(comm_split(comm, color, key, newcomm));
  if (newcomm != nullptr && split_type != MPI_COMM_TYPE_SHARED) newcomm->hints.set(kResourceKey, name);
  if (newcomm != nullptr && unguided != 0 && info != nullptr) info->set(kResourceKey, name);  // by what it was split
  return {};
}

Error find_order(Communicator& comm, int size, std::span<const Link> links, std::vector<int>& order) {
  std::vector<Place> places;
  std::vector<std::string> names;
  OL_TRY(gather_places(comm, places, names));
  places.resize(static_cast<std::size_t>(size));
  const bool one_node = std::ranges::all_of(
      places, [&](const Place& each) { return !each.empty() && !places[0].empty() && each[0] == places[0][0]; });
  if (one_node && !reorder_on_node.value()) {
    order.clear();
    return {};
  }
  order = reorder(links, places);
  if (std::ranges::is_sorted(order)) order.clear();
  return {};
}

}  // namespace ompi_lite::mpi
