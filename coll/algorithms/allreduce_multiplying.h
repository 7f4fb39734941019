// SPDX-License-Identifier: BSD-3-Clause
// All-reduce by recursive multiplying; with radix 2, recursive doubling.
#pragma once

#include "coll/algorithms/partial.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  radix 2:   0 <-> 1   2 <-> 3            k^i ranks exchange whole vectors with k-1 partners at distances 1, k, k^2 ...;
//  the
//             0 <-> 2   1 <-> 3            others give theirs to a neighbour first (Leaders), get the result last. Rank
//             order
//                                          is kept and partners put the same parentheses. log_k p rounds (+ 2), any op.
struct AllreduceMultiplying {
  static constexpr const char* name = "recursive_multiplying";
  static constexpr ParameterRange parameter = kRadix;
  static constexpr Count usual(const Question& q) { return q.ranks > 4 && q.bytes <= 4096 ? 4 : 2; }
  static constexpr Cost cost(const Question& q, Count radix) {
    const Leaders leaders(q.ranks, static_cast<int>(radix));
    const double exchanges = rounds_of(leaders.power, static_cast<int>(radix)) * static_cast<double>(radix - 1);
    const double followers = leaders.each() - (leaders.longer() == 0 ? 1 : 0), m = static_cast<double>(q.bytes);
    const double surplus = q.ranks - leaders.power, messages = leaders.power * exchanges + 2 * surplus;
    return {.rounds = rounds_of(leaders.power, static_cast<int>(radix)) + (surplus > 0 ? 2.0 : 0.0),
            .messages = 2 * (exchanges + followers),
            .bytes = 2 * (exchanges + followers) * m,
            .handled = (exchanges + followers) * m,
            .all_messages = messages,
            .all_bytes = messages * m,
            .all_handled = (leaders.power * exchanges + surplus) * m};
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    const int rank = steps.rank(), radix = static_cast<int>(call.parameter);
    const Leaders leaders(steps.size(), radix);
    const int group = leaders.group(rank), leader = leaders.leader(group);
    if (rank != leader) {
      steps.send(call.input, leader);
      steps.end_round();
      steps.recv(call.output, leader);
      return steps.end_round();
    }
    Partial<S> sum(steps, call.input, call.output);
    for (int i = leader + 1; i < leaders.end(group); ++i) {
      const Part operand = sum.spare();
      steps.recv(operand, i);
      steps.end_round();
      sum.absorb_right(operand);
    }
    for (int distance = 1; distance < leaders.power; distance *= radix) {
      const int digit = group / distance % radix, first = group - digit * distance;
      exchange_all(steps, sum, digit, radix, [&](int i) { return leaders.leader(first + i * distance); });
    }
    sum.copy_to(call.output);
    for (int i = leader + 1; i < leaders.end(group); ++i) steps.send(call.output, i);
    steps.end_round();
  }
};
template <>
struct AlgorithmOf<Operation::allreduce, 3> : AllreduceMultiplying {};

}  // namespace ompi_lite::coll
