// SPDX-License-Identifier: BSD-3-Clause
// Scan and exscan from rank to rank, the references.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  0 -> 1 -> 2 -> 3                        p-1 hops of whole vectors.
struct ScanLinear {
  static constexpr const char* name = "linear";
  static constexpr bool fixed_order = true;
  static constexpr Cost cost(const Question& q, Count) {
    const double others = q.ranks - 1, m = static_cast<double>(q.bytes);
    return {.rounds = others,
            .messages = 2,
            .bytes = others * m,
            .handled = 2 * others * m,
            .all_messages = others,
            .all_bytes = others * m,
            .all_handled = 2 * others * m};
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    const int rank = steps.rank();
    if (call.output != call.input) steps.copy(call.input, call.output);
    if (rank > 0) {
      const Part before = steps.scratch(call.input.count);
      steps.recv(before, rank - 1);
      steps.end_round();
      steps.reduce(before, call.output);
    }
    if (rank < steps.size() - 1) steps.send(call.output, rank + 1);
    steps.end_round();
  }
};
template <>
struct AlgorithmOf<Operation::scan, 0> : ScanLinear {};

// The same, one hop ahead: a rank passes on what came, with its own input behind.
struct ExscanLinear : ScanLinear {
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    const int rank = steps.rank(), p = steps.size();
    if (rank == 0) {
      if (p > 1) steps.send(call.input, 1);
      return steps.end_round();
    }
    const Part before = steps.scratch(call.input.count);
    steps.recv(before, rank - 1);
    steps.end_round();
    if (rank < p - 1) {
      const Part after = steps.scratch(call.input.count);
      steps.reduce_copy(before, call.input, after);
      steps.send(after, rank + 1);
      steps.end_round();
    }
    steps.copy(before, call.output);
  }
};
template <>
struct AlgorithmOf<Operation::exscan, 0> : ExscanLinear {};

}  // namespace ompi_lite::coll
