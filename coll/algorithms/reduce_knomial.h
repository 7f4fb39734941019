// SPDX-License-Identifier: BSD-3-Clause
// Reduce up a k-nomial tree.
#pragma once

#include "coll/algorithms/partial.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  radix 2:   0 <- 1   2 <- 3
//             0 <- 2                       ceil(log_k p) rounds of whole vectors. A rank always speaks for a run of ranks,
//             so
//                                          rank order is kept; ops that do not commute go up to rank 0, then to the root.
struct ReduceKnomial {
  static constexpr const char* name = "knomial";
  static constexpr ParameterRange parameter = kRadix;
  static constexpr Count usual(const Question&) { return 2; }
  static constexpr Cost cost(const Question& q, Count radix) {
    const double m = static_cast<double>(q.bytes), others = q.ranks - 1, last = q.commutative ? 0 : 1;
    const double hops = rounds_of(q.ranks, static_cast<int>(radix)), came = partners_of(q.ranks, static_cast<int>(radix));
    return {.rounds = hops + last,
            .messages = came + last,
            .bytes = (came + last) * m,
            .handled = came * m,
            .all_messages = others + last,
            .all_bytes = (others + last) * m,
            .all_handled = others * m};
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    const int p = steps.size(), rank = steps.rank(), root = call.root, top = call.commutative ? root : 0;
    const KnomialTree tree{p, static_cast<int>(call.parameter)};
    const int v = around(rank, -top, p);
    Partial<S> sum = rank == root ? Partial<S>(steps, call.input, call.output) : Partial<S>(steps, call.input);
    tree.ascending(v, [&](int child) {
      const Part operand = sum.spare();
      steps.recv(operand, around(child, top, p));
      steps.end_round();
      sum.absorb_right(operand);
    });
    if (v != 0) {
      steps.send(sum.value(), around(tree.parent(v), top, p));
      steps.end_round();
    }
    if (top == root) {
      if (v == 0) sum.copy_to(call.output);
      return;
    }
    if (rank == top) steps.send(sum.value(), root);
    if (rank == root) steps.recv(call.output, top);
    steps.end_round();
  }
};
template <>
struct AlgorithmOf<Operation::reduce, 1> : ReduceKnomial {};

}  // namespace ompi_lite::coll
