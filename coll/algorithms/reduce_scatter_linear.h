// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter by way of rank 0, the reference.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/algorithms/reduce_linear.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  0 <- 1, 2, 3 (whole vectors)   0 -> 1, 2, 3 (blocks)
struct ReduceScatterLinear {
  static constexpr const char* name = "linear";
  static constexpr bool fixed_order = true;
  static constexpr Cost cost(const Question& q, Count) {
    const double others = q.ranks - 1, m = static_cast<double>(q.bytes);
    return {.rounds = 2,
            .messages = 2 * others,
            .bytes = (others + others / q.ranks) * m,
            .handled = q.ranks * m,
            .all_messages = 2 * others,
            .all_bytes = (others + others / q.ranks) * m,
            .all_handled = q.ranks * m};
  }
  template <Steps S>
  static void run(S& steps, const ReduceScatterCall& call) {
    const int p = steps.size(), rank = steps.rank();
    if (rank != 0) {
      ReduceLinear::run(steps, {call.input, call.output, 0});
      steps.recv(call.output, 0);
      return steps.end_round();
    }
    const Part whole = steps.scratch(call.input.count);
    ReduceLinear::run(steps, {call.input, whole, 0});
    for (int i = 1; i < p; ++i) {
      steps.send(block_of(steps, whole, call.split, i), i);
      if (i % kWindow == 0) steps.end_round();
    }
    steps.end_round();
    steps.copy(block_of(steps, whole, call.split, 0), call.output);
  }
};
template <>
struct AlgorithmOf<Operation::reduce_scatter, 0> : ReduceScatterLinear {};
template <>
struct AlgorithmOf<Operation::reduce_scatter_block, 0> : ReduceScatterLinear {};

}  // namespace ompi_lite::coll
