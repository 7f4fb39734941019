// SPDX-License-Identifier: BSD-3-Clause
// Scan and exscan down a chain, in pieces.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/algorithms/pipeline.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  0 -> 1 -> 2 -> 3                        p-2 + pieces rounds, each byte is reduced once at each rank: for large vectors.
struct ScanChain {
  static constexpr const char* name = "chain";
  static constexpr bool fixed_order = true;
  static constexpr ParameterRange parameter = kSegment;
  static constexpr Count usual(const Question& q) { return good_segment(q.bytes, q.ranks - 1); }
  static constexpr Cost cost(const Question& q, Count segment) {
    const double m = static_cast<double>(q.bytes), pieces = pieces_of(q.bytes, segment);
    const double others = q.ranks - 1;
    return {.rounds = others,
            .messages = 2 * pieces,
            .bytes = (others > 1 ? 2 : 1) * m * (pieces + others - 1) / pieces,
            .handled = 2 * m * (pieces + others - 1) / pieces,
            .all_messages = others * pieces,
            .all_bytes = others * m,
            .all_handled = 2 * others * m};
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    walk(steps, call, false);
  }

 protected:
  // Piece i comes from the left in round i and leaves to the right, with the own one behind, in round i + 1.
  template <Steps S>
  static void walk(S& steps, const ReduceCall& call, bool exclusive) {
    const Count one = std::max<Count>(1, steps.bytes(steps.slice(call.input, 0, 1)));
    const Pieces pieces{call.input.count, std::max<Count>(1, call.parameter / one)};
    const TreePlace place = chain_place(steps.rank(), 0, steps.size());
    const Count room = std::min(pieces.piece, pieces.count);
    const bool first = place.parent < 0, last = place.children[0] < 0;
    const Part arrived = steps.scratch(first ? 0 : room);
    const Part leaving = steps.scratch(first || last ? 0 : room);
    const auto piece = [&](const Part& part, Count i) {
      return steps.slice(part, 0, std::min(pieces.piece, pieces.count - i * pieces.piece));
    };
    steps.loop(pieces.number() + 1, [&](Count i) {
      if (!first && i < pieces.number()) steps.recv(piece(arrived, i), place.parent);
      if (!last && i > 0) {
        steps.send(first ? pieces.cut(steps, call.input, i - 1) : piece(leaving, i - 1), place.children[0]);
      }
      steps.end_round();
      if (i == pieces.number()) return;
      const Part own = pieces.cut(steps, call.input, i), result = pieces.cut(steps, call.output, i);
      if (first) {
        if (!exclusive && call.input != call.output) steps.copy(own, result);
        return;
      }
      if (!last) steps.reduce_copy(piece(arrived, i), own, piece(leaving, i));
      if (exclusive) return steps.copy(piece(arrived, i), result);
      if (!last) return steps.copy(piece(leaving, i), result);
      combine(steps, piece(arrived, i), own, result);
    });
  }
};
template <>
struct AlgorithmOf<Operation::scan, 2> : ScanChain {};

struct ExscanChain : ScanChain {
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    walk(steps, call, true);
  }
};
template <>
struct AlgorithmOf<Operation::exscan, 2> : ExscanChain {};

}  // namespace ompi_lite::coll
