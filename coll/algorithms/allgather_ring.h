// SPDX-License-Identifier: BSD-3-Clause
// All-gather around the ring.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  p-1 times:  0 -> 1 -> 2 -> 3 -> 0       a rank passes on what came last: a block a round, neighbours only.
struct AllgatherRing {
  static constexpr const char* name = "ring";
  static constexpr Cost cost(const Question& q, Count) {
    const double others = q.ranks - 1;
    return Cost::alike(q, others, others, others * static_cast<double>(q.bytes), 0);
  }
  template <Steps S>
  static void run(S& steps, const AllgatherCall& call) {
    const int p = steps.size(), rank = steps.rank();
    for (int k = 0; k < p - 1; ++k) {
      const int out = around(rank, -k, p), in = around(rank, -k - 1, p);
      steps.sendrecv(call.block_to_send(out, rank), around(rank, 1, p), call.blocks[in], around(rank, -1, p));
      steps.end_round();
    }
  }
};
template <>
struct AlgorithmOf<Operation::allgather, 1> : AllgatherRing {};
template <>
struct AlgorithmOf<Operation::allgatherv, 1> : AllgatherRing {};

}  // namespace ompi_lite::coll
