// SPDX-License-Identifier: BSD-3-Clause
// Broadcast, the reference.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  root -> 1, root -> 2, root -> 3         p-1 messages out of the root, one hop.
struct BcastLinear {
  static constexpr const char* name = "linear";
  static constexpr Cost cost(const Question& q, Count) {
    const double others = q.ranks - 1, m = static_cast<double>(q.bytes);
    return {.rounds = 1, .messages = others, .bytes = others * m, .all_messages = others, .all_bytes = others * m};
  }
  template <Steps S>
  static void run(S& steps, const BcastCall& call) {
    if (steps.rank() != call.root) {
      steps.recv(call.data, call.root);
      return steps.end_round();
    }
    for (int i = 1; i < steps.size(); ++i) {
      steps.send(call.data, around(call.root, i, steps.size()));
      if (i % kWindow == 0) steps.end_round();
    }
    steps.end_round();
  }
};
template <>
struct AlgorithmOf<Operation::bcast, 0> : BcastLinear {};

}  // namespace ompi_lite::coll
