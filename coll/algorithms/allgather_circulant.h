// SPDX-License-Identifier: BSD-3-Clause
// All-gather up the circulant graph.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

// See divide.h: ceil(log2 p) rounds and the fewest bytes for any p, without scratch memory. Blocks side by side only.
struct AllgatherCirculant {
  static constexpr const char* name = "circulant";
  static constexpr Cost cost(const Question& q, Count) {
    const double rounds = rounds_of(q.ranks);
    return Cost::alike(q, rounds, 1.5 * rounds, (q.ranks - 1) * static_cast<double>(q.bytes), 0);
  }
  template <Steps S>
  static void run(S& steps, const AllgatherCall& call) {
    circulant_allgather(steps, steps.rank(), 0, [&](int first, int n) {
      return n == 1 ? call.block_to_send(first, steps.rank()) : call.blocks.run(first, n);
    });
  }
};
template <>
struct AlgorithmOf<Operation::allgather, 3> : AllgatherCirculant {};

}  // namespace ompi_lite::coll
