// SPDX-License-Identifier: BSD-3-Clause
// Reduce as a reduce-scatter and a gather.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  reduce-scatter on the circulant graph, then root <- 1, 2, 3 (blocks)
//                                          ceil(log2 p) + 1 rounds, about 2m bytes through each rank.
struct ReduceScatterGather {
  static constexpr const char* name = "reduce_scatter_gather";
  static constexpr bool commutative_only = true;
  static constexpr Cost cost(const Question& q, Count) {
    const double p = q.ranks, m = static_cast<double>(q.bytes), share = m * (p - 1) / p, rounds = rounds_of(q.ranks);
    return {.rounds = rounds + 1,
            .messages = 3 * rounds + p - 1,
            .bytes = 3 * share,
            .handled = share,
            .all_messages = p * rounds * 1.5 + p - 1,
            .all_bytes = p * share + share,
            .all_handled = p * share};
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    const int p = steps.size(), rank = steps.rank(), root = call.root;
    const EvenSplit split(call.input.count, p);
    Part vector = call.output;
    if (rank != root) vector = steps.scratch(call.input.count);
    circulant_reduce_scatter(steps, call.input, vector, split);
    if (rank != root) {
      if (split.size(rank) > 0) steps.send(block_of(steps, vector, split, rank), root);
      return steps.end_round();
    }
    for (int k = 1; k < p; ++k) {
      const int i = around(root, k, p);
      if (split.size(i) > 0) steps.recv(block_of(steps, vector, split, i), i);
      if (k % kWindow == 0) steps.end_round();
    }
    steps.end_round();
  }
};
template <>
struct AlgorithmOf<Operation::reduce, 2> : ReduceScatterGather {};

}  // namespace ompi_lite::coll
