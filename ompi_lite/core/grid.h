// SPDX-License-Identifier: BSD-3-Clause
// Virtual topologies: what a communicator knows of who its ranks' neighbors are (MPI 5.0, chapter 8). Arithmetic only: no
// messages.
#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "ompi_lite/include/mpi.h"

namespace ompi_lite {

// A box of ranks in row-major order. A value; zero dimensions are a box of one rank.
class CartesianGrid {
 public:
  CartesianGrid() = default;
  // The extents are positive, and their product is a number of ranks: see cells().
  CartesianGrid(std::span<const int> extents, std::span<const int> wraps);

  int dimensions() const { return static_cast<int>(extents_.size()); }
  int extent(int dimension) const { return extents_[static_cast<std::size_t>(dimension)]; }
  bool wraps(int dimension) const { return wraps_[static_cast<std::size_t>(dimension)]; }
  int size() const { return size_; }

  // Fills the first dimensions() places.
  void coordinates_of(int rank, int* coordinates) const;
  // The rank there; MPI_PROC_NULL outside of a dimension that does not wrap.
  int rank_at(const int* coordinates) const;
  // The rank `distance` steps along a dimension, or MPI_PROC_NULL.
  int shifted(int rank, int dimension, std::int64_t distance) const;
  // The grid of the dimensions that are kept; `place` is which of the grids of that shape a rank is in, `inside` its rank
  // there.
  CartesianGrid part(std::span<const int> kept) const;
  void locate_in_part(int rank, std::span<const int> kept, int& place, int& inside) const;

 private:
  std::vector<int> extents_;
  std::vector<bool> wraps_;
  int size_ = 1;
};

// The product of extents, each at least 1; -1 if it is more than an int holds.
int cells(std::span<const int> extents);

// Fills the zeros of `dims`, so that their product with the others is `nodes`: as alike as possible, the largest first: the
// smallest difference between the largest and the smallest, then the largest smallest one. `nodes` is a multiple of the
// product of the others.
void balance(int nodes, std::span<int> dims);

// All nodes' edges, as the program gave them: edges[index[i - 1]] to edges[index[i] - 1] are the neighbors of node i.
struct Graph {
  std::vector<int> index, edges;

  int nodes() const { return static_cast<int>(index.size()); }
  std::span<const int> neighbors(int node) const;
  bool symmetric() const;  // each edge from a to b has its own edge from b to a
};

// What of a distributed graph is not in the neighborhood. No weights: all are alike, and nobody asks for them.
struct DistGraph {
  bool weighted = false;
  std::vector<int> source_weights, destination_weights;
};

// A step of an exchange between neighbors: a block goes out, or comes in, or both. Blocks are positions among the
// destinations and among the sources; dest = source = this rank is a block that stays here.
struct NeighborStep {
  int dest = MPI_PROC_NULL, send_block = 0;
  int source = MPI_PROC_NULL, receive_block = 0;

  bool operator==(const NeighborStep&) const = default;
};

// Who sends to this rank and to whom it sends, in the order of the blocks in the buffers of neighborhood collectives, and
// the order in which the blocks travel. Neighbors may be MPI_PROC_NULL and may repeat.
struct Neighborhood {
  std::vector<int> sources, destinations;
  std::vector<NeighborStep> steps;
};

// Which block of the receiver the blocks between two ranks fall into, in the order in which they were sent.
enum class Arrival : bool {
  in_order,  // graphs: the k-th edge from a to b in a's list is the k-th in b's list
  opposite,  // grids: what went towards s arrives from s xor 1, also where both are the same rank
};

Neighborhood make_neighborhood(int rank, int size, std::vector<int> sources, std::vector<int> destinations, Arrival arrival);

// Immutable; a communicator and its duplicates share it.
struct Topology {
  std::variant<CartesianGrid, Graph, DistGraph> shape;
  Neighborhood neighborhood;
  bool matched =
      true;  // every block that goes out is one that somebody awaits: else the neighborhood collectives are refused
};

Topology topology_of(CartesianGrid grid, int rank);
Topology topology_of(Graph graph, int rank);

}  // namespace ompi_lite
