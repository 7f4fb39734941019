// SPDX-License-Identifier: BSD-3-Clause
// All-to-all straight from place to place, a window of partners at a time.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  k = 1..p-1:  rank -> rank+k             each block travels once; in this order no rank has two senders of the same k.
struct AlltoallPairwise {
  static constexpr const char* name = "pairwise";
  static constexpr ParameterRange parameter{"window", 1, kWindow};
  static constexpr Count usual(const Question&) { return kWindow; }
  static constexpr Cost cost(const Question& q, Count window) {
    const double others = q.ranks - 1, turns = others / static_cast<double>(window);
    return Cost::alike(q, turns < 1 ? 1 : turns, others, others * static_cast<double>(q.bytes), 0);
  }
  template <Steps S>
  static void run(S& steps, const AlltoallCall& call) {
    const int p = steps.size(), rank = steps.rank(), window = static_cast<int>(call.parameter);
    for (int k = 1; k < p; ++k) {
      const int dest = around(rank, k, p), source = around(rank, -k, p);
      steps.sendrecv(call.send[dest], dest, call.receive[source], source);
      if (k % window == 0) steps.end_round();
    }
    steps.end_round();
  }
};
template <>
struct AlgorithmOf<Operation::alltoall, 2> : AlltoallPairwise {};
template <>
struct AlgorithmOf<Operation::alltoallv, 1> : AlltoallPairwise {};
template <>
struct AlgorithmOf<Operation::alltoallw, 1> : AlltoallPairwise {};

}  // namespace ompi_lite::coll
