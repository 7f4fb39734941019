// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of grids and graphs.
#include "ompi_lite/core/grid.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace ompi_lite {

CartesianGrid::CartesianGrid(std::span<const int> extents, std::span<const int> wraps)
    : extents_(extents.begin(), extents.end()), size_(cells(extents)) {
  for (int wrap : wraps) wraps_.push_back(wrap != 0);
}

void CartesianGrid::coordinates_of(int rank, int* coordinates) const {
  for (int d = dimensions() - 1; d >= 0; --d) {
    coordinates[d] = rank % extent(d);
    rank /= extent(d);
  }
}

int CartesianGrid::rank_at(const int* coordinates) const {
  int rank = 0;
  for (int d = 0; d < dimensions(); ++d) {
    int at = coordinates[d];
    if (at < 0 || at >= extent(d)) {
      if (!wraps(d)) return MPI_PROC_NULL;
      at %= extent(d);
      if (at < 0) at += extent(d);
    }
    rank = rank * extent(d) + at;
  }
  return rank;
}

int CartesianGrid::shifted(int rank, int dimension, std::int64_t distance) const {
  std::int64_t stride = 1;
  for (int d = dimensions() - 1; d > dimension; --d) stride *= extent(d);
  const std::int64_t n = extent(dimension), here = rank / stride % n;
  std::int64_t there = here + distance;
  if (there < 0 || there >= n) {
    if (!wraps(dimension)) return MPI_PROC_NULL;
    there = (there % n + n) % n;
  }
  return static_cast<int>(rank + (there - here) * stride);
}

CartesianGrid CartesianGrid::part(std::span<const int> kept) const {
  std::vector<int> extents, wraps;
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    if (kept[d] == 0) continue;
    extents.push_back(extents_[d]);
    wraps.push_back(wraps_[d] ? 1 : 0);
  }
  return CartesianGrid(extents, wraps);
}

void CartesianGrid::locate_in_part(int rank, std::span<const int> kept, int& place, int& inside) const {
  std::vector<int> coordinates(extents_.size());
  coordinates_of(rank, coordinates.data());
  place = inside = 0;
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    int& index = kept[d] != 0 ? inside : place;
    index = index * extents_[d] + coordinates[d];
  }
}

int cells(std::span<const int> extents) {
  std::int64_t product = 1;
  for (int extent : extents) {
    product *= extent;
    if (product > std::numeric_limits<int>::max()) return -1;
  }
  return static_cast<int>(product);
}

namespace {

// The search for k factors of m with the smallest difference between the largest and the smallest; of several such the ones
// whose smallest is largest, then the one before it, and so on.
class Factors {
 public:
  Factors(int m, std::span<int> best) : best_(best), trial_(best.size()) {
    for (int d = 1; d <= m / d; ++d) {
      if (m % d != 0) continue;
      divisors_.push_back(d);
      if (d != m / d) divisors_.push_back(m / d);
    }
    std::ranges::sort(divisors_);
    int rest = m;
    for (int d = 2; d <= rest / d; ++d) {
      for (; rest % d == 0; rest /= d) primes_.push_back(d);
    }
    if (rest > 1) primes_.push_back(rest);
    place(m, 0, m);
  }

 private:
  // Gives the places from `at` on factors of `rest`, none above `most`, the largest first. Small factors are tried first:
  // the first solution is near the root, and its difference cuts off most of what is left.
  void place(int rest, std::size_t at, int most) {
    const std::size_t left = best_.size() - at;
    if (left == 1) {
      if (rest <= most) finish(rest);
      return;
    }
    for (auto d = std::ranges::lower_bound(divisors_, largest_prime(rest)); d != divisors_.end() && *d <= most; ++d) {
      if (rest % *d != 0 || !reaches(rest, *d, left)) continue;
      trial_[at] = *d;
      if (above(rest / *d, trial_[0] - difference_, left - 1)) {  // what follows is too small
        if (at == 0 && above(rest, trial_[0] - difference_, left)) return;
        continue;
      }
      if (above(rest / *d, trial_[0] - difference_ + 1, left - 1) && !improves(rest / *d, left - 1)) continue;
      place(rest / *d, at + 1, *d);
    }
  }
  void finish(int last) {
    trial_.back() = last;
    const int difference = trial_[0] - last;
    if (difference > difference_) return;
    if (difference == difference_ &&
        !std::lexicographical_compare(best_.rbegin(), best_.rend(), trial_.rbegin(), trial_.rend()))
      return;
    difference_ = difference;
    std::ranges::copy(trial_, best_.begin());
  }
  // Whether n more factors of `rest` could make a better solution of the same difference: with the same largest and smallest
  // one the others are no smaller than the last but one of the best.
  bool improves(int rest, std::size_t n) const {
    if (trial_[0] != best_[0]) return true;
    std::int64_t power = best_.back();
    for (std::size_t i = 1; i < n && power <= rest; ++i) power *= best_[best_.size() - 2];
    return power <= rest;
  }
  static bool reaches(int rest, int d, std::size_t n) {  // d^n >= rest
    std::int64_t power = 1;
    for (std::size_t i = 0; i < n && power < rest && d > 1; ++i) power *= d;
    return power >= rest;
  }
  static bool above(int rest, int smallest, std::size_t n) {  // smallest^n > rest
    std::int64_t power = 1;
    for (std::size_t i = 0; i < n && power <= rest && smallest > 1; ++i) power *= smallest;
    return power > rest;
  }
  int largest_prime(int rest) const {
    for (auto prime = primes_.rbegin(); prime != primes_.rend(); ++prime)
      if (rest % *prime == 0) return *prime;
    return 1;
  }

  std::span<int> best_;
  std::vector<int> trial_, divisors_, primes_;  // the last two ascending
  int difference_ = std::numeric_limits<int>::max();
};

}  // namespace

void balance(int nodes, std::span<int> dims) {
  int rest = nodes;
  std::size_t open = 0;
  for (int dim : dims) {
    if (dim == 0)
      ++open;
    else
      rest /= dim;
  }
  if (open == 0) return;
  std::vector<int> factors(open);
  const Factors search(rest, factors);
  auto next = factors.begin();
  for (int& dim : dims)
    if (dim == 0) dim = *next++;
}

std::span<const int> Graph::neighbors(int node) const {
  const auto at = static_cast<std::size_t>(node);
  const auto first = static_cast<std::size_t>(at == 0 ? 0 : index[at - 1]), end = static_cast<std::size_t>(index[at]);
  return std::span<const int>(edges).subspan(first, end - first);
}

bool Graph::symmetric() const {
  std::vector<std::pair<int, int>> there, back;
  for (int node = 0; node < nodes(); ++node) {
    for (int neighbor : neighbors(node)) {
      there.emplace_back(node, neighbor);
      back.emplace_back(neighbor, node);
    }
  }
  std::ranges::sort(there);
  std::ranges::sort(back);
  return there == back;
}

namespace {

// A block on its way. Both ends find the same distance for it: from sender to receiver around the ring of all ranks.
struct Block {
  int distance, peer, block;
};

}  // namespace

// Every rank goes through its blocks by distance, the n-th that it sends over a distance together with the n-th that it
// receives over it. So a block never waits for a later one of any rank: wherever the steps are cut into rounds, nobody waits
// for ever.
Neighborhood make_neighborhood(int rank, int size, std::vector<int> sources, std::vector<int> destinations,
                               Arrival arrival) {
  std::vector<Block> out, in;
  for (int i = 0; i < static_cast<int>(destinations.size()); ++i) {
    const int peer = destinations[static_cast<std::size_t>(i)];
    if (peer != MPI_PROC_NULL) out.push_back({(peer - rank + size) % size, peer, i});
  }
  for (int i = 0; i < static_cast<int>(sources.size()); ++i) {
    const int block = arrival == Arrival::opposite ? i ^ 1 : i, peer = sources[static_cast<std::size_t>(block)];
    if (peer != MPI_PROC_NULL) in.push_back({(rank - peer + size) % size, peer, block});
  }
  std::ranges::stable_sort(out, {}, &Block::distance);  // blocks between the same two ranks keep their order
  std::ranges::stable_sort(in, {}, &Block::distance);
  Neighborhood result{std::move(sources), std::move(destinations), {}};
  for (auto o = out.begin(), i = in.begin(); o != out.end() || i != in.end();) {
    NeighborStep step;
    const bool sends = o != out.end() && (i == in.end() || o->distance <= i->distance);
    const bool receives = i != in.end() && (o == out.end() || i->distance <= o->distance);
    if (sends) {
      step.dest = o->peer;
      step.send_block = (o++)->block;
    }
    if (receives) {
      step.source = i->peer;
      step.receive_block = (i++)->block;
    }
    result.steps.push_back(step);
  }
  return result;
}

Topology topology_of(CartesianGrid grid, int rank) {
  std::vector<int> neighbors;
  for (int d = 0; d < grid.dimensions(); ++d) {
    neighbors.push_back(grid.shifted(rank, d, -1));
    neighbors.push_back(grid.shifted(rank, d, 1));
  }
  const int size = grid.size();
  return Topology{std::move(grid), make_neighborhood(rank, size, neighbors, neighbors, Arrival::opposite)};
}

Topology topology_of(Graph graph, int rank) {
  const std::span<const int> list = graph.neighbors(rank);
  const std::vector<int> neighbors(list.begin(), list.end());
  const int size = graph.nodes();
  const bool symmetric = graph.symmetric();
  return Topology{std::move(graph), make_neighborhood(rank, size, neighbors, neighbors, Arrival::in_order), symmetric};
}

}  // namespace ompi_lite
