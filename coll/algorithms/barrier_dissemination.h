// SPDX-License-Identifier: BSD-3-Clause
// Barrier by dissemination, with any radix.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  radix 2, round 1:  0 -> 1 -> 2 -> 3 -> 0     After round i a rank has heard, at first or second hand, from the k^i - 1
//  ranks
//           round 2:  0 -> 2 -> 0   1 -> 3 -> 1 before it.  ceil(log_k p) rounds for any p, k-1 messages each way in a
//           round.
struct BarrierDissemination {
  static constexpr const char* name = "dissemination";
  static constexpr ParameterRange parameter = kRadix;
  static constexpr Count usual(const Question&) { return 2; }
  static constexpr Cost cost(const Question& q, Count radix) {
    const auto k = static_cast<int>(radix);
    return Cost::alike(q, rounds_of(q.ranks, k), partners_of(q.ranks, k), 0, 0);
  }
  template <Steps S>
  static void run(S& steps, const BarrierCall& call) {
    const Part nothing{};
    const int p = steps.size(), radix = static_cast<int>(call.parameter);
    for (int distance = 1; distance < p; distance *= radix) {
      for (int digit = 1; digit < radix && digit * distance < p; ++digit) {
        const int away = digit * distance;
        steps.sendrecv(nothing, around(steps.rank(), away, p), nothing, around(steps.rank(), -away, p));
      }
      steps.end_round();
    }
  }
};
template <>
struct AlgorithmOf<Operation::barrier, 1> : BarrierDissemination {};

}  // namespace ompi_lite::coll
