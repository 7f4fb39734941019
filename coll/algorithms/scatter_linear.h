// SPDX-License-Identifier: BSD-3-Clause
// Scatter straight from the root, the reference.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  root -> 1, 2, 3                         p-1 messages, straight from their places, kWindow under way at a time: the best
//                                          for large blocks, and right where only the root knows the sizes (scatterv).
struct ScatterLinear {
  static constexpr const char* name = "linear";
  static constexpr Cost cost(const Question& q, Count) {
    const double others = q.ranks - 1, m = static_cast<double>(q.bytes);
    return {.rounds = 1, .messages = others, .bytes = others * m, .all_messages = others, .all_bytes = others * m};
  }
  template <Steps S>
  static void run(S& steps, const RootedCall& call) {
    const int p = steps.size();
    if (steps.rank() != call.root) {
      steps.recv(call.mine, call.root);
      return steps.end_round();
    }
    for (int k = 1; k < p; ++k) {
      const int dest = around(call.root, k, p);
      steps.send(call.blocks[dest], dest);
      if (k % kWindow == 0) steps.end_round();
    }
    steps.end_round();
  }
};
template <>
struct AlgorithmOf<Operation::scatter, 0> : ScatterLinear {};
template <>
struct AlgorithmOf<Operation::scatterv, 0> : ScatterLinear {};

}  // namespace ompi_lite::coll
