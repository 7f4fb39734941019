// SPDX-License-Identifier: BSD-3-Clause
// All-gather one rank after the other, the reference.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  0 -> 1,2,3   then  1 -> 2,3,0   then ...    p(p-1) messages.
struct AllgatherLinear {
  static constexpr const char* name = "linear";
  static constexpr Cost cost(const Question& q, Count) {
    const double p = q.ranks, all = p * (p - 1), m = static_cast<double>(q.bytes);
    return {.rounds = p,  // one rank sends at a time
            .messages = 2 * (p - 1),
            .bytes = all * m,
            .all_messages = all,
            .all_bytes = all * m};
  }
  template <Steps S>
  static void run(S& steps, const AllgatherCall& call) {
    const int p = steps.size();
    for (int root = 0; root < p; ++root) {
      if (root != steps.rank()) {
        steps.recv(call.blocks[root], root);
        steps.end_round();
        continue;
      }
      for (int i = 1; i < p; ++i) {
        steps.send(call.block_to_send(root, root), around(root, i, p));
        if (i % kWindow == 0) steps.end_round();
      }
      steps.end_round();
    }
  }
};
template <>
struct AlgorithmOf<Operation::allgather, 0> : AllgatherLinear {};
template <>
struct AlgorithmOf<Operation::allgatherv, 0> : AllgatherLinear {};

}  // namespace ompi_lite::coll
