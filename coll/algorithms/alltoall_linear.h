// SPDX-License-Identifier: BSD-3-Clause
// All-to-all one rank after the other, the reference.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  0 -> 1,2,3   then  1 -> 2,3,0   then ...    p(p-1) messages.
struct AlltoallLinear {
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
  static void run(S& steps, const AlltoallCall& call) {
    const int p = steps.size();
    for (int root = 0; root < p; ++root) {
      if (root != steps.rank()) {
        steps.recv(call.receive[root], root);
        steps.end_round();
        continue;
      }
      for (int k = 1; k < p; ++k) {
        const int dest = around(root, k, p);
        steps.send(call.send[dest], dest);
        if (k % kWindow == 0) steps.end_round();
      }
      steps.end_round();
    }
  }
};
template <>
struct AlgorithmOf<Operation::alltoall, 0> : AlltoallLinear {};
template <>
struct AlgorithmOf<Operation::alltoallv, 0> : AlltoallLinear {};
template <>
struct AlgorithmOf<Operation::alltoallw, 0> : AlltoallLinear {};

}  // namespace ompi_lite::coll
