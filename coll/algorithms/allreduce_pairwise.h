// SPDX-License-Identifier: BSD-3-Clause
// All-reduce as a reduce-scatter straight to the owner of each block, and an all-gather.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/algorithms/reduce_scatter_pairwise.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  k = 1..p-1:  rank -> rank+k its block   Every rank collects the contributions to its own block and reduces them in rank
//  then the circulant graph upwards        order: 2(p-1)/p m bytes as around the ring, but for any op.
struct AllreducePairwise {
  static constexpr const char* name = "pairwise";
  static constexpr bool fixed_order = true;
  static constexpr ParameterRange parameter = ReduceScatterPairwise::parameter;
  static constexpr Count usual(const Question& q) { return ReduceScatterPairwise::usual(q); }
  static constexpr Cost cost(const Question& q, Count window) {
    const double share = static_cast<double>(q.bytes) * (q.ranks - 1) / q.ranks, hops = rounds_of(q.ranks);
    const double others = q.ranks - 1, turns = others / static_cast<double>(window);
    return Cost::alike(q, (turns < 1 ? 1 : turns) + hops, others + 1.5 * hops, 2 * share, static_cast<double>(q.bytes));
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    const int rank = steps.rank();
    const Split split(call.input.count, steps.size());
    ReduceScatterPairwise::run(steps, {call.input, block_of(steps, call.output, split, rank), split, call.parameter});
    const auto blocks = [&](int first, int n) { return block_of(steps, call.output, split, first, n); };
    circulant_allgather(steps, rank, 0, blocks);
  }
};
template <>
struct AlgorithmOf<Operation::allreduce, 6> : AllreducePairwise {};

}  // namespace ompi_lite::coll
