// SPDX-License-Identifier: BSD-3-Clause
// Broadcast down a chain, in pieces.
#pragma once

#include "coll/algorithms/pipeline.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  0 -> 1 -> 2 -> 3                        p-2 + pieces rounds, a rank sends each byte once: for very large messages.
struct BcastChain {
  static constexpr const char* name = "chain";
  static constexpr bool bytes_only = true;
  static constexpr ParameterRange parameter = kSegment;
  static constexpr Count usual(const Question& q) { return good_segment(q.bytes, q.ranks - 1); }
  static constexpr Cost cost(const Question& q, Count segment) {
    const double m = static_cast<double>(q.bytes), pieces = pieces_of(q.bytes, segment);
    const double others = q.ranks - 1;
    return {.rounds = others,
            .messages = 2 * pieces,
            .bytes = (others > 1 ? 2 : 1) * m * (pieces + others - 1) / pieces,
            .all_messages = others * pieces,
            .all_bytes = others * m};
  }
  template <Steps S>
  static void run(S& steps, const BcastCall& call) {
    pipeline_down(steps, chain_place(steps.rank(), call.root, steps.size()), call.data, call.parameter);
  }
};
template <>
struct AlgorithmOf<Operation::bcast, 2> : BcastChain {};

}  // namespace ompi_lite::coll
