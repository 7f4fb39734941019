// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter down the circulant graph.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

// See divide.h: ceil(log2 p) rounds and the fewest bytes for any p.
struct ReduceScatterCirculant {
  static constexpr const char* name = "circulant";
  static constexpr bool commutative_only = true;
  static constexpr Cost cost(const Question& q, Count) {
    const double m = static_cast<double>(q.bytes), share = m * (q.ranks - 1) / q.ranks, rounds = rounds_of(q.ranks);
    return Cost::alike(q, rounds, 1.5 * rounds, share, m);
  }
  template <Steps S>
  static void run(S& steps, const ReduceScatterCall& call) {
    const Part vector = steps.scratch(call.input.count);
    circulant_reduce_scatter(steps, call.input, vector, call.split);
    steps.copy(block_of(steps, vector, call.split, steps.rank()), call.output);
  }
};
template <>
struct AlgorithmOf<Operation::reduce_scatter, 2> : ReduceScatterCirculant {};
template <>
struct AlgorithmOf<Operation::reduce_scatter_block, 2> : ReduceScatterCirculant {};

}  // namespace ompi_lite::coll
