// SPDX-License-Identifier: BSD-3-Clause
// All-reduce as a reduce-scatter and an all-gather around the ring.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

// See divide.h: 2(p-1) rounds and 2(p-1)/p m bytes, neighbours only.
struct AllreduceRing {
  static constexpr const char* name = "ring";
  static constexpr bool commutative_only = true;
  static constexpr Cost cost(const Question& q, Count) {
    const double others = q.ranks - 1, share = static_cast<double>(q.bytes) * others / q.ranks;
    return Cost::alike(q, 2 * others, 2 * others, 2 * share, share);
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    const int p = steps.size(), rank = steps.rank();
    const EvenSplit split(call.input.count, p);
    ring_reduce_scatter(steps, call.input, call.output, split);
    for (int k = 0; k < p - 1; ++k) {
      const int out = around(rank, -k, p), in = around(out, -1, p);
      steps.sendrecv(block_of(steps, call.output, split, out), around(rank, 1, p), block_of(steps, call.output, split, in),
                     around(rank, -1, p));
      steps.end_round();
    }
  }
};
template <>
struct AlgorithmOf<Operation::allreduce, 5> : AllreduceRing {};

}  // namespace ompi_lite::coll
