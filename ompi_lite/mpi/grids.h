// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, sections 8.5 and 8.6: virtual topologies. The calls that make communicators are collective over comm; with
// `reorder` ranks that are neighbors come near each other in the machine where that gains anything. A rank that gets no
// communicator gets nullptr.
#pragma once

#include <span>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/communicator.h"

namespace ompi_lite::mpi {

Error topo_test(Communicator& comm, int& status);

Error dims_create(int nnodes, std::span<int> dims);
Error cart_create(Communicator& comm, std::span<const int> dims, std::span<const int> periods, bool reorder,
                  Communicator*& comm_cart);
Error cartdim_get(Communicator& comm, int& ndims);
Error cart_get(Communicator& comm, std::span<int> dims, std::span<int> periods, std::span<int> coords);
Error cart_rank(Communicator& comm, const int* coords, int& rank);
Error cart_coords(Communicator& comm, int rank, std::span<int> coords);
Error cart_shift(Communicator& comm, int direction, int disp, int& rank_source, int& rank_dest);
Error cart_sub(Communicator& comm, const int* remain_dims, Communicator*& newcomm);
Error cart_map(Communicator& comm, std::span<const int> dims, std::span<const int> periods, int& newrank);

Error graph_create(Communicator& comm, std::span<const int> index, const int* edges, bool reorder,
                   Communicator*& comm_graph);
Error graphdims_get(Communicator& comm, int& nnodes, int& nedges);
Error graph_get(Communicator& comm, std::span<int> index, std::span<int> edges);
Error graph_neighbors_count(Communicator& comm, int rank, int& count);
Error graph_neighbors(Communicator& comm, int rank, std::span<int> neighbors);
Error graph_map(Communicator& comm, std::span<const int> index, const int* edges, int& newrank);

// Weights may be MPI_UNWEIGHTED, and MPI_WEIGHTS_EMPTY where there are none to give. Nothing is read from info.
Error dist_graph_create(Communicator& comm, std::span<const int> sources, std::span<const int> degrees,
                        const int* destinations, const int* weights, Info* info, bool reorder,
                        Communicator*& comm_dist_graph);
Error dist_graph_create_adjacent(Communicator& comm, std::span<const int> sources, const int* source_weights,
                                 std::span<const int> destinations, const int* destination_weights, Info* info, bool reorder,
                                 Communicator*& comm_dist_graph);
Error dist_graph_neighbors_count(Communicator& comm, int& indegree, int& outdegree, bool& weighted);
Error dist_graph_neighbors(Communicator& comm, std::span<int> sources, int* source_weights, std::span<int> destinations,
                           int* destination_weights);

// For the two files behind this header: a communicator of the first `size` ranks of comm, with a topology to be hung on it;
// rank r of it is rank order[r] of comm, or r if the order is empty.
Error create_over_first(Communicator& comm, int size, std::span<const int> order, Communicator*& newcomm);

}  // namespace ompi_lite::mpi
