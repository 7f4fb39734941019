// SPDX-License-Identifier: BSD-3-Clause
// Barrier, the reference.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  0 <- 1, 2, 3      0 -> 1, 2, 3          2 rounds, 2(p-1) messages at rank 0.
struct BarrierLinear {
  static constexpr const char* name = "linear";
  static constexpr Cost cost(const Question& q, Count) {
    const double others = q.ranks - 1;
    return {.rounds = 2, .messages = 2 * others, .all_messages = 2 * others};
  }
  template <Steps S>
  static void run(S& steps, const BarrierCall&) {
    const Part nothing{};
    if (steps.rank() != 0) {
      steps.send(nothing, 0);
      steps.end_round();
      steps.recv(nothing, 0);
      return steps.end_round();
    }
    for (int i = 1; i < steps.size(); ++i) {
      steps.recv(nothing, i);
      if (i % kWindow == 0) steps.end_round();
    }
    steps.end_round();
    for (int i = 1; i < steps.size(); ++i) {
      steps.send(nothing, i);
      if (i % kWindow == 0) steps.end_round();
    }
    steps.end_round();
  }
};
template <>
struct AlgorithmOf<Operation::barrier, 0> : BarrierLinear {};

}  // namespace ompi_lite::coll
