// SPDX-License-Identifier: BSD-3-Clause
// Broadcast down a k-nomial tree.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  radix 2:   0 -> 2
//             0 -> 1   2 -> 3              ceil(log_k p) hops, whole messages: for small ones.
struct BcastKnomial {
  static constexpr const char* name = "knomial";
  static constexpr ParameterRange parameter = kRadix;
  static constexpr Count usual(const Question& q) { return q.ranks > 8 && q.bytes <= 2048 ? 4 : 2; }
  static constexpr Cost cost(const Question& q, Count radix) {
    const double hops = rounds_of(q.ranks, static_cast<int>(radix)), sent = partners_of(q.ranks, static_cast<int>(radix));
    const double m = static_cast<double>(q.bytes), others = q.ranks - 1;
    return {.rounds = hops, .messages = sent, .bytes = sent * m, .all_messages = others, .all_bytes = others * m};
  }
  template <Steps S>
  static void run(S& steps, const BcastCall& call) {
    const int p = steps.size(), v = around(steps.rank(), -call.root, p);
    const KnomialTree tree{p, static_cast<int>(call.parameter)};
    if (v != 0) {
      steps.recv(call.data, around(tree.parent(v), call.root, p));
      steps.end_round();
    }
    int sent = 0;
    tree.descending(v, [&](int child) {
      steps.send(call.data, around(child, call.root, p));
      if (++sent % kWindow == 0) steps.end_round();
    });
    steps.end_round();
  }
};
template <>
struct AlgorithmOf<Operation::bcast, 1> : BcastKnomial {};

}  // namespace ompi_lite::coll
