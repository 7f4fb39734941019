// SPDX-License-Identifier: BSD-3-Clause
// Reduce at the root, the reference.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  root <- 3, then 2, then 1, then 0       p-1 whole vectors to the root, reduced in rank order from the right.
struct ReduceLinear {
  static constexpr const char* name = "linear";
  static constexpr bool fixed_order = true;
  static constexpr Cost cost(const Question& q, Count) {
    const double others = q.ranks - 1, m = static_cast<double>(q.bytes);
    return {.rounds = 1,
            .messages = others,
            .bytes = others * m,
            .handled = q.ranks * m,
            .all_messages = others,
            .all_bytes = others * m,
            .all_handled = q.ranks * m};
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    const int p = steps.size();
    const Part& input = call.input;
    if (steps.rank() != call.root) {
      steps.send(input, call.root);
      return steps.end_round();
    }
    // Not in place, the product is made where it belongs.
    const Part sum = input == call.output ? steps.scratch(input.count) : call.output;
    const bool own_is_last = call.root == p - 1;
    const Part operand = p > 2 || own_is_last ? steps.scratch(input.count) : Part{};
    const auto take = [&](const Part& into, int source) {
      steps.recv(into, source);
      steps.end_round();
    };
    int next = p - 2;
    if (p == 1) {
      steps.copy(input, sum);
    } else if (own_is_last) {
      take(operand, next--);
      steps.reduce_copy(operand, input, sum);
    } else {
      take(sum, p - 1);
    }
    for (; next >= 0; --next) {
      if (next != call.root) take(operand, next);
      steps.reduce(next == call.root ? input : operand, sum);
    }
    if (sum != call.output) steps.copy(sum, call.output);
  }
};
template <>
struct AlgorithmOf<Operation::reduce, 0> : ReduceLinear {};

}  // namespace ompi_lite::coll
