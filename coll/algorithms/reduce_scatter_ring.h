// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter around the ring.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

// See divide.h: p-1 rounds, neighbours only.
struct ReduceScatterRing {
  static constexpr const char* name = "ring";
  static constexpr bool commutative_only = true;
  static constexpr Cost cost(const Question& q, Count) {
    const double m = static_cast<double>(q.bytes), share = m * (q.ranks - 1) / q.ranks, rounds = q.ranks - 1;
    return Cost::alike(q, rounds, rounds, share, m);
  }
  template <Steps S>
  static void run(S& steps, const ReduceScatterCall& call) {
    const Part vector = steps.scratch(call.input.count);
    ring_reduce_scatter(steps, call.input, vector, call.split);
    steps.copy(block_of(steps, vector, call.split, steps.rank()), call.output);
  }
};
template <>
struct AlgorithmOf<Operation::reduce_scatter, 3> : ReduceScatterRing {};
template <>
struct AlgorithmOf<Operation::reduce_scatter_block, 3> : ReduceScatterRing {};

}  // namespace ompi_lite::coll
