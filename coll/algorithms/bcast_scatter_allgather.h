// SPDX-License-Identifier: BSD-3-Clause
// Broadcast as a scatter and an all-gather.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  scatter:    0 -> 2 (blocks 2,3)   0 -> 1 (1)   2 -> 3 (3)      then every rank gathers the others' blocks.
//                                          2 ceil(log2 p) rounds, about 2m bytes through each rank.
struct BcastScatterAllgather {
  static constexpr const char* name = "scatter_allgather";
  static constexpr bool bytes_only = true;
  static constexpr Cost cost(const Question& q, Count) {
    const double p = q.ranks, m = static_cast<double>(q.bytes), rounds = rounds_of(q.ranks);
    return {.rounds = 2 * rounds,
            .messages = 4 * rounds,
            .bytes = 3 * m * (p - 1) / p,
            .all_messages = p - 1 + p * rounds * 1.5,  // a run that wraps around is two messages
            .all_bytes = (p - 1) * m + m * rounds / 2};
  }
  template <Steps S>
  static void run(S& steps, const BcastCall& call) {
    const int p = steps.size(), root = call.root, v = around(steps.rank(), -root, p);
    const EvenSplit split(call.data.count, p);
    const KnomialTree tree{p, 2};
    const auto blocks = [&](int first, int n) { return steps.slice(call.data, split.begin(first), split.size(first, n)); };
    if (v != 0) {
      steps.recv(blocks(v, tree.subtree(v)), around(tree.parent(v), root, p));
      steps.end_round();
    }
    tree.descending(v, [&](int child) { steps.send(blocks(child, tree.subtree(child)), around(child, root, p)); });
    steps.end_round();
    circulant_allgather(steps, v, root, blocks);
  }
};
template <>
struct AlgorithmOf<Operation::bcast, 3> : BcastScatterAllgather {};

}  // namespace ompi_lite::coll
