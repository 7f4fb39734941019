// SPDX-License-Identifier: BSD-3-Clause
// Gather up a k-nomial tree.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  radix 2:   0 <- 1   2 <- 3
//             0 <- 2 (blocks 2, 3)         ceil(log_k p) rounds; inner ranks hold their subtree's blocks, packed, in scratch
//                                          memory.
struct GatherKnomial {
  static constexpr const char* name = "knomial";
  static constexpr ParameterRange parameter = kRadix;
  static constexpr Count usual(const Question&) { return 2; }
  static constexpr Cost cost(const Question& q, Count radix) {
    const double p = q.ranks, m = static_cast<double>(q.bytes), rounds = rounds_of(q.ranks, static_cast<int>(radix));
    return {.rounds = rounds,
            .messages = static_cast<double>(partners_of(q.ranks, static_cast<int>(radix))),
            .bytes = (p - 1) * m,
            .handled = p * m,
            .all_messages = p - 1,
            .all_bytes = p * m * rounds / 2,
            .all_handled = p * m * 1.5};
  }
  template <Steps S>
  static void run(S& steps, const RootedCall& call) {
    const int p = steps.size(), root = call.root, v = around(steps.rank(), -root, p);
    const Count block = call.block;
    const KnomialTree tree{p, static_cast<int>(call.parameter)};
    const int n = tree.subtree(v);
    Part packed = call.mine;
    if (n > 1) {
      packed = steps.scratch(block * n);
      if (v != 0) steps.copy(call.mine, steps.slice(packed, 0, block));
    }
    int received = 0;
    tree.ascending(v, [&](int child) {
      steps.recv(steps.slice(packed, block * (child - v), block * tree.subtree(child)), around(child, root, p));
      if (++received % kWindow == 0) steps.end_round();
    });
    steps.end_round();
    if (v != 0) {
      steps.send(packed, around(tree.parent(v), root, p));
      return steps.end_round();
    }
    for (int i = 1; i < p; ++i) steps.copy(steps.slice(packed, block * i, block), call.blocks[around(root, i, p)]);
  }
};
template <>
struct AlgorithmOf<Operation::gather, 1> : GatherKnomial {};

}  // namespace ompi_lite::coll
