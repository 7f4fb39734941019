// SPDX-License-Identifier: BSD-3-Clause
// Gather straight to the root, the reference.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  root <- 1, 2, 3                         p-1 messages, straight to their places, kWindow under way at a time: the best for
//                                          large blocks, and right where only the root knows the sizes (gatherv).
struct GatherLinear {
  static constexpr const char* name = "linear";
  static constexpr Cost cost(const Question& q, Count) {
    const double others = q.ranks - 1, m = static_cast<double>(q.bytes);
    return {.rounds = 1, .messages = others, .bytes = others * m, .all_messages = others, .all_bytes = others * m};
  }
  template <Steps S>
  static void run(S& steps, const RootedCall& call) {
    const int p = steps.size();
    if (steps.rank() != call.root) {
      steps.send(call.mine, call.root);
      return steps.end_round();
    }
    for (int k = 1; k < p; ++k) {
      const int source = around(call.root, k, p);
      steps.recv(call.blocks[source], source);
      if (k % kWindow == 0) steps.end_round();
    }
    steps.end_round();
  }
};
template <>
struct AlgorithmOf<Operation::gather, 0> : GatherLinear {};
template <>
struct AlgorithmOf<Operation::gatherv, 0> : GatherLinear {};

}  // namespace ompi_lite::coll
