// SPDX-License-Identifier: BSD-3-Clause
// All-reduce by way of rank 0, the reference.
#pragma once

#include "coll/algorithms/bcast_linear.h"
#include "coll/algorithms/reduce_linear.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  0 <- 3, 2, 1   0 -> 1, 2, 3
struct AllreduceLinear {
  static constexpr const char* name = "linear";
  static constexpr bool fixed_order = true;
  static constexpr Cost cost(const Question& q, Count) {
    const double others = q.ranks - 1, m = static_cast<double>(q.bytes);
    return {.rounds = 2,
            .messages = 2 * others,
            .bytes = 2 * others * m,
            .handled = q.ranks * m,
            .all_messages = 2 * others,
            .all_bytes = 2 * others * m,
            .all_handled = q.ranks * m};
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    ReduceLinear::run(steps, {call.input, call.output, 0});
    BcastLinear::run(steps, {call.output, 0});
  }
};
template <>
struct AlgorithmOf<Operation::allreduce, 0> : AllreduceLinear {};

}  // namespace ompi_lite::coll
