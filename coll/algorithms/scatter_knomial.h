// SPDX-License-Identifier: BSD-3-Clause
// Scatter down a k-nomial tree.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  radix 2:   0 -> 2 (blocks 2, 3)
//             0 -> 1   2 -> 3              ceil(log_k p) rounds; inner ranks hold their subtree's blocks, packed, in scratch
//                                          memory.
struct ScatterKnomial {
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
    if (n > 1) packed = steps.scratch(block * n);
    if (v == 0) {
      for (int i = 1; i < p; ++i) steps.copy(call.blocks[around(root, i, p)], steps.slice(packed, block * i, block));
    } else {
      steps.recv(packed, around(tree.parent(v), root, p));
      steps.end_round();
    }
    int sent = 0;
    tree.descending(v, [&](int child) {
      steps.send(steps.slice(packed, block * (child - v), block * tree.subtree(child)), around(child, root, p));
      if (++sent % kWindow == 0) steps.end_round();
    });
    steps.end_round();
    if (v != 0 && n > 1) steps.copy(steps.slice(packed, 0, block), call.mine);
  }
};
template <>
struct AlgorithmOf<Operation::scatter, 1> : ScatterKnomial {};

}  // namespace ompi_lite::coll
