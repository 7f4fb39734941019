// SPDX-License-Identifier: BSD-3-Clause
// Reduce up a chain, in pieces.
#pragma once

#include "coll/algorithms/pipeline.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  0 <- 1 <- 2 <- 3                        p-2 + pieces rounds, a rank sends each byte once. A rank speaks for all behind
//  it,
//                                          so rank order is kept; ops that do not commute go up to rank 0, then to the root.
struct ReduceChain {
  static constexpr const char* name = "chain";
  static constexpr bool fixed_order = true;
  static constexpr ParameterRange parameter = kSegment;
  static constexpr Count usual(const Question& q) { return good_segment(q.bytes, q.ranks - 1); }
  static constexpr Cost cost(const Question& q, Count segment) {
    const double m = static_cast<double>(q.bytes), pieces = pieces_of(q.bytes, segment);
    const double others = q.ranks - 1, last = q.commutative ? 0 : 1;
    return {.rounds = others + last,
            .messages = 2 * pieces + last,
            .bytes = (others > 1 ? 2 : 1) * m * (pieces + others - 1) / pieces + last * m,
            .handled = m * (pieces + others - 1) / pieces,
            .all_messages = others * pieces + last,
            .all_bytes = (others + last) * m,
            .all_handled = others * m};
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    const int rank = steps.rank(), top = call.commutative ? call.root : 0;
    const bool moves = top != call.root;  // the product has one way more to go
    const Part product = moves && rank == top ? steps.scratch(call.input.count) : call.output;
    pipeline_up(steps, chain_place(rank, top, steps.size()), call.input, product, piece_of(steps, call));
    if (!moves) return;
    if (rank == top) steps.send(product, call.root);
    if (rank == call.root) steps.recv(call.output, top);
    steps.end_round();
  }
  // Elements of a piece, at least one.
  template <Steps S>
  static Count piece_of(const S& steps, const ReduceCall& call) {
    return std::max<Count>(1, call.parameter / std::max<Count>(1, steps.bytes(steps.slice(call.input, 0, 1))));
  }
};
template <>
struct AlgorithmOf<Operation::reduce, 3> : ReduceChain {};

}  // namespace ompi_lite::coll
