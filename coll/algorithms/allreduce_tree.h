// SPDX-License-Identifier: BSD-3-Clause
// All-reduce up a k-nomial tree and down again.
#pragma once

#include "coll/algorithms/bcast_knomial.h"
#include "coll/algorithms/reduce_knomial.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  0 <- 1   2 <- 3   then  0 <- 2          2 ceil(log_k p) rounds of whole vectors, but only 2(p-1) messages in all, what
//  0 -> 2   then  0 -> 1   2 -> 3          counts where ranks share cores. With root 0 rank order is kept whatever the op.
struct AllreduceTree {
  static constexpr const char* name = "tree";
  static constexpr ParameterRange parameter = kRadix;
  static constexpr Count usual(const Question&) { return 2; }
  static constexpr Cost cost(const Question& q, Count radix) {
    const double m = static_cast<double>(q.bytes), others = q.ranks - 1;
    const double hops = rounds_of(q.ranks, static_cast<int>(radix)), came = partners_of(q.ranks, static_cast<int>(radix));
    return {.rounds = 2 * hops,
            .messages = 2 * came,
            .bytes = 2 * came * m,
            .handled = came * m,
            .all_messages = 2 * others,
            .all_bytes = 2 * others * m,
            .all_handled = others * m};
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    ReduceKnomial::run(steps, {call.input, call.output, 0, true, call.parameter});
    BcastKnomial::run(steps, {call.output, 0, call.parameter});
  }
};
template <>
struct AlgorithmOf<Operation::allreduce, 1> : AllreduceTree {};

}  // namespace ompi_lite::coll
