// SPDX-License-Identifier: BSD-3-Clause
// What an algorithm of a collective says of itself: name, parameter, legality, cost. The algorithms are listed in
// coll/algorithms/table.h; docs/adding_a_collective.md shows how one is written.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "ompi_lite/base/count_span.h"

namespace ompi_lite::coll {

enum class Operation : std::uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
};
inline constexpr int kOperations = 22;

// What selection may look at: the same at every rank of a correct program.
struct Question {
  Operation operation;
  int ranks;
  Count bytes;  // bcast, reductions: of the vector; allgatherv: of all blocks; others: of the block of one rank; what no rank
                // knows of others: 0
  bool commutative = true;
  bool plain = true;         // reductions: a type without gaps
  bool exact = true;         // the order of the work does not show in the result
  bool share_cores = false;  // all on one node that has more ranks than cores
  int cores = 2;             // ... which has so many
  bool one_node = false;     // all on one node
  Count node_capacity = -1;  // bytes of a shared slot of the node; -1: there is none
  bool cells = false;        // the node has shared cells for larger data
  bool fixed_order = false;  // reductions: with the parentheses of the linear reference alone (reproducible.h)
  int hosts = 1;             // on which the ranks are
  int least_on_host = 1;     // ranks of the host that has the fewest
  Count longest = 0;         // allgatherv: bytes of the longest block
};

// The work of an algorithm on the chain of steps that ends last, and that of all ranks together. From this and a few
// numbers of the machine selection predicts the time (select.cc). A test compares it with what the simulator counts.
struct Cost {
  double rounds = 0;                                        // messages that wait for each other
  double messages = 0;                                      // sent or received by the busiest rank
  double bytes = 0;                                         // sent and received by it
  double handled = 0;                                       // bytes reduced or copied by it
  double all_messages = 0, all_bytes = 0, all_handled = 0;  // sums over the ranks; every message counts once
  double lines = 0;                                         // cache lines that it reads out of the slots of others
  // In shared cells: how often all wait for all, the bytes that are written there, and those read that others have written.
  double meetings = 0;
  double shown = 0, fetched = 0, all_shown = 0, all_fetched = 0;

  // All ranks do the same: each sends and receives so much.
  static constexpr Cost alike(const Question& q, double rounds, double messages, double bytes, double handled) {
    const double p = q.ranks;
    return {rounds, 2 * messages, 2 * bytes, handled, p * messages, p * bytes, p * handled};
  }
};

// The number that an algorithm takes, such as the radix of a tree, written behind its name: bcast=knomial:4.
struct ParameterRange {
  const char* name = nullptr;  // null: it takes none
  Count least = 0, most = 0;
};
constexpr int kMostRadix = 16;  // so many partners at once, one less for oneself
constexpr ParameterRange kRadix{"radix", 2, kMostRadix};
constexpr ParameterRange kSegment{"segment in bytes", 1, Count{1} << 30};

// Algorithm number `number` of the operation: a class as described by DescribesAlgorithm. Number 0 is the linear reference.
// Numbers are never used twice, so they may be kept in tables; gaps are allowed.
template <Operation operation, int number>
struct AlgorithmOf {
  static constexpr bool none = true;
};
constexpr int kMostAlgorithms = 32;
// Through the shared slots and cells of the node: not written on Steps.
constexpr int kNodeAlgorithm = kMostAlgorithms - 1, kCellsAlgorithm = kMostAlgorithms - 2;

template <class A>
concept DescribesAlgorithm = requires(const Question& q, Count parameter) {
  { A::name } -> std::convertible_to<const char*>;
  { A::cost(q, parameter) } -> std::same_as<Cost>;
};

// The optional members, with what holds where an algorithm does not have them.
template <class A>
constexpr ParameterRange parameter_of() {
  if constexpr (requires { A::parameter; }) return A::parameter;
  return {};
}
// The parameter to take for a call unless one is forced.
template <class A>
constexpr Count usual_parameter(const Question& q) {
  if constexpr (requires { A::usual(q); }) return A::usual(q);
  return 0;
}
template <class A>
constexpr bool needs_commutative() {
  if constexpr (requires { A::commutative_only; }) return A::commutative_only;
  return false;
}
// Reductions: each element is computed with the parentheses of the linear reference, where the op is said not to commute.
template <class A>
constexpr bool keeps_fixed_order() {
  if constexpr (requires { A::fixed_order; }) return A::fixed_order;
  return false;
}
template <class A>
constexpr bool legal_for(const Question& q, Count parameter) {
  if (needs_commutative<A>() && !q.commutative) return false;
  if (q.fixed_order && !keeps_fixed_order<A>()) return false;
  if constexpr (requires { A::legal(q, parameter); }) return A::legal(q, parameter);
  return true;
}
// Broadcasts: the algorithm cuts the data, and only bytes can be cut alike at all ranks. It is given the bytes side by side.
template <class A>
constexpr bool cuts_bytes() {
  if constexpr (requires { A::bytes_only; }) return A::bytes_only;
  return false;
}

// ceil(log of p to the base radix): the rounds of a tree or an exchange.
constexpr int rounds_of(int p, int radix = 2) {
  int rounds = 0;
  for (Count reach = 1; reach < p; reach *= radix) ++rounds;
  return rounds;
}

// The partners that a rank has in them, all rounds together.
constexpr int partners_of(int p, int radix) {
  int partners = 0;
  for (Count reach = 1; reach < p; reach *= radix) {
    const auto most = static_cast<int>((p - 1) / reach);
    partners += most < radix - 1 ? most : radix - 1;
  }
  return partners;
}
// The pieces of a pipeline.
constexpr double pieces_of(Count bytes, Count segment) {
  return bytes == 0 ? 1 : static_cast<double>((bytes + segment - 1) / segment);
}

}  // namespace ompi_lite::coll
