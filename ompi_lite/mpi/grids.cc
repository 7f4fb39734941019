// SPDX-License-Identifier: BSD-3-Clause
// Cartesian topologies.
#include "ompi_lite/mpi/grids.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/grid.h"
#include "ompi_lite/include/mpi.h"
#include "ompi_lite/mpi/comms.h"
#include "ompi_lite/mpi/places.h"

namespace ompi_lite::mpi {
namespace {

Error grid_of(Communicator& comm, const CartesianGrid*& grid) {
  grid = comm.topology == nullptr ? nullptr : std::get_if<CartesianGrid>(&comm.topology->shape);
  return grid != nullptr ? Error() : Error(ErrorClass::topology, "comm has no cartesian topology");
}

Error check_room(const char* name, std::size_t room, int dimensions) {
  if (room >= static_cast<std::size_t>(dimensions)) return {};
  return make_error(ErrorClass::arg, "maxdims is %zu, but the grid has %d dimensions, which %s cannot hold", room,
                    dimensions, name);
}

Error check_extents(Communicator& comm, std::span<const int> dims) {
  if (comm.is_inter()) return Error(ErrorClass::comm, "comm is an intercommunicator");
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (dims[d] <= 0) return make_error(ErrorClass::dims, "dims[%zu] is %d, but extents are positive", d, dims[d]);
  const int size = cells(dims);
  if (size < 0)
    return make_error(ErrorClass::dims, "the grid has more ranks than an int can count; the communicator has %d",
                      comm.size());
  if (size > comm.size())
    return make_error(ErrorClass::dims, "the grid has %d ranks, but the communicator only %d", size, comm.size());
  return {};
}

}  // namespace

Error topo_test(Communicator& comm, int& status) {
  constexpr int kStatus[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};  // as the alternatives of Topology::shape
  status = comm.topology == nullptr ? MPI_UNDEFINED : kStatus[comm.topology->shape.index()];
  return {};
}

Error dims_create(int nnodes, std::span<int> dims) {
  if (nnodes <= 0) return make_error(ErrorClass::arg, "nnodes is %d, but a grid has at least one node", nnodes);
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (dims[d] < 0) return make_error(ErrorClass::dims, "dims[%zu] is %d", d, dims[d]);
  std::vector<int> fixed;
  std::ranges::copy_if(dims, std::back_inserter(fixed), [](int dim) { return dim != 0; });
  const int product = cells(fixed);
  if (product < 0 || nnodes % product != 0) {
    return make_error(ErrorClass::dims, "nnodes is %d, which is not a multiple of the product of the given dims%s", nnodes,
                      product < 0 ? "" : (", " + std::to_string(product)).c_str());
  }
  balance(nnodes, dims);
  return {};
}

Error create_over_first(Communicator& comm, int size, std::span<const int> order, Communicator*& newcomm) {
  std::vector<PeerId> members(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    const auto at = static_cast<std::size_t>(i);
    members[at] = comm.local_group().peer(order.empty() ? i : order[at]);
  }
  const Ref<Group> group = size == comm.size() && order.empty()
                               ? Ref<Group>::share(&comm.local_group())
                               : Ref<Group>(new Group(std::move(members), comm.local_group()));
  return comm_create(comm, *group, newcomm);
}

Error cart_create(Communicator& comm, std::span<const int> dims, std::span<const int> periods, bool reorder,
                  Communicator*& comm_cart) {
  OL_TRY(check_extents(comm, dims));
  CartesianGrid grid(dims, periods);
  std::vector<int> order;
  if (reorder) {
    std::vector<Link> links;
    for (int rank = 0; rank < grid.size(); ++rank)
      for (int d = 0; d < grid.dimensions(); ++d)
        if (const int next = grid.shifted(rank, d, 1); next != MPI_PROC_NULL) links.push_back({rank, next, 1});
    OL_TRY(find_order(comm, grid.size(), links, order));
  }
  OL_TRY(create_over_first(comm, grid.size(), order, comm_cart));
  if (comm_cart != nullptr)
    comm_cart->topology = std::make_shared<Topology>(topology_of(std::move(grid), comm_cart->rank()));
  return {};
}

Error cartdim_get(Communicator& comm, int& ndims) {
  const CartesianGrid* grid;
  OL_TRY(grid_of(comm, grid));
  ndims = grid->dimensions();
  return {};
}

Error cart_get(Communicator& comm, std::span<int> dims, std::span<int> periods, std::span<int> coords) {
  const CartesianGrid* grid;
  OL_TRY(grid_of(comm, grid));
  OL_TRY(check_room("dims", dims.size(), grid->dimensions()));
  for (int d = 0; d < grid->dimensions(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    dims[at] = grid->extent(d);
    periods[at] = grid->wraps(d) ? 1 : 0;
  }
  grid->coordinates_of(comm.rank(), coords.data());
  return {};
}

Error cart_rank(Communicator& comm, const int* coords, int& rank) {
  const CartesianGrid* grid;
  OL_TRY(grid_of(comm, grid));
  if (coords == nullptr && grid->dimensions() > 0) return Error(ErrorClass::arg, "coords is a null pointer");
  for (int d = 0; d < grid->dimensions(); ++d) {
    if (grid->wraps(d) || (coords[d] >= 0 && coords[d] < grid->extent(d))) continue;
    return make_error(ErrorClass::arg, "coords[%d] is %d, but this dimension has %d places and is not periodic", d,
                      coords[d], grid->extent(d));
  }
  rank = grid->rank_at(coords);
  return {};
}

Error cart_coords(Communicator& comm, int rank, std::span<int> coords) {
  const CartesianGrid* grid;
  OL_TRY(grid_of(comm, grid));
  OL_TRY(check_room("coords", coords.size(), grid->dimensions()));
  grid->coordinates_of(rank, coords.data());
  return {};
}

Error cart_shift(Communicator& comm, int direction, int disp, int& rank_source, int& rank_dest) {
  const CartesianGrid* grid;
  OL_TRY(grid_of(comm, grid));
  if (direction < 0 || direction >= grid->dimensions())
    return make_error(ErrorClass::dims, "direction is %d, but the grid has %d dimensions", direction, grid->dimensions());
  rank_source = grid->shifted(comm.rank(), direction, -std::int64_t{disp});
  rank_dest = grid->shifted(comm.rank(), direction, disp);
  return {};
}

Error cart_sub(Communicator& comm, const int* remain_dims, Communicator*& newcomm) {
  const CartesianGrid* grid;
  OL_TRY(grid_of(comm, grid));
  if (remain_dims == nullptr && grid->dimensions() > 0) return Error(ErrorClass::arg, "remain_dims is a null pointer");
  const std::span<const int> kept(remain_dims, static_cast<std::size_t>(grid->dimensions()));
  int place = 0, inside = 0;
  grid->locate_in_part(comm.rank(), kept, place, inside);
  OL_TRY(comm_split(comm, place, inside, newcomm));
  newcomm->topology = std::make_shared<Topology>(topology_of(grid->part(kept), newcomm->rank()));
  return {};
}

Error cart_map(Communicator& comm, std::span<const int> dims, std::span<const int>, int& newrank) {
  OL_TRY(check_extents(comm, dims));
  newrank = comm.rank() < cells(dims) ? comm.rank() : MPI_UNDEFINED;
  return {};
}

}  // namespace ompi_lite::mpi
