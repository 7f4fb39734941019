// SPDX-License-Identifier: BSD-3-Clause
// All-reduce as a reduce-scatter and an all-gather on the circulant graph.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

// See divide.h: 2 ceil(log2 p) rounds and 2(p-1)/p m bytes for any p.
struct AllreduceCirculant {
  static constexpr const char* name = "circulant";
  static constexpr bool commutative_only = true;
  static constexpr Cost cost(const Question& q, Count) {
    const double share = static_cast<double>(q.bytes) * (q.ranks - 1) / q.ranks, rounds = rounds_of(q.ranks);
    return Cost::alike(q, 2 * rounds, 3 * rounds, 2 * share, share);
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    const EvenSplit split(call.input.count, steps.size());
    circulant_reduce_scatter(steps, call.input, call.output, split);
    const auto blocks = [&](int first, int n) { return block_of(steps, call.output, split, first, n); };
    circulant_allgather(steps, steps.rank(), 0, blocks);
  }
};
template <>
struct AlgorithmOf<Operation::allreduce, 4> : AllreduceCirculant {};

}  // namespace ompi_lite::coll
