// SPDX-License-Identifier: BSD-3-Clause
// Broadcast down a binary tree, in pieces.
#pragma once

#include "coll/algorithms/pipeline.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  0 -> 1, 2    1 -> 3                     about log2 p + pieces rounds, a rank sends each byte twice.
struct BcastBinary {
  static constexpr const char* name = "binary";
  static constexpr bool bytes_only = true;
  static constexpr ParameterRange parameter = kSegment;
  static constexpr Count usual(const Question& q) { return good_segment(q.bytes, rounds_of(q.ranks)); }
  static constexpr Cost cost(const Question& q, Count segment) {
    const double m = static_cast<double>(q.bytes), pieces = pieces_of(q.bytes, segment);
    const double depth = rounds_of(q.ranks + 1) - 1, others = q.ranks - 1, fan = q.ranks > 2 ? 2 : 1;
    return {.rounds = depth,
            .messages = (fan + 1) * pieces,
            .bytes = (fan + (others > 2 ? 1 : 0)) * m * (pieces + depth - 1) / pieces,
            .all_messages = others * pieces,
            .all_bytes = others * m};
  }
  template <Steps S>
  static void run(S& steps, const BcastCall& call) {
    pipeline_down(steps, binary_place(steps.rank(), call.root, steps.size()), call.data, call.parameter);
  }
};
template <>
struct AlgorithmOf<Operation::bcast, 4> : BcastBinary {};

}  // namespace ompi_lite::coll
