// SPDX-License-Identifier: BSD-3-Clause
// All-to-all by the algorithm of Bruck and others (1997), with any radix.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  radix 2, digit 0 of k:  rank -> rank+1 (blocks 1, 3)   block k is to go k ranks around: it travels the distances of the
//           digit 1 of k:  rank -> rank+2 (blocks 2, 3)   digits of k.  ceil(log_k p) rounds: for small blocks.
struct AlltoallBruck {
  static constexpr const char* name = "bruck";
  static constexpr ParameterRange parameter = kRadix;
  static constexpr Count usual(const Question&) { return 2; }
  static constexpr Cost cost(const Question& q, Count radix) {
    const auto k = static_cast<int>(radix);
    const double m = static_cast<double>(q.bytes), share = 1 - 1 / static_cast<double>(std::min(k, q.ranks));
    const double rounds = rounds_of(q.ranks, k), moved = rounds * q.ranks * m * share;
    return Cost::alike(q, rounds, partners_of(q.ranks, k), moved, 2 * moved + 2 * q.ranks * m);
  }
  template <Steps S>
  static void run(S& steps, const AlltoallCall& call) {
    const int p = steps.size(), rank = steps.rank(), radix = static_cast<int>(call.parameter);
    const Count block = call.block;
    const Part waiting = steps.scratch(block * p), leaving = steps.scratch(block * p), arriving = steps.scratch(block * p);
    const auto at = [&](const Part& packed, int i, int n = 1) { return steps.slice(packed, block * i, block * n); };
    for (int k = 1; k < p; ++k) steps.copy(call.send[around(rank, k, p)], at(waiting, k));
    for (int weight = 1; weight < p; weight *= radix) {
      const auto travellers = [&](int digit, const auto& each) {
        for (int k = digit * weight; k < p; ++k) {
          if (k / weight % radix == digit) each(k);
        }
      };
      int n = 0;
      for (int digit = 1; digit < radix && digit * weight < p; ++digit) {
        const int first = n;
        travellers(digit, [&](int k) { steps.copy(at(waiting, k), at(leaving, n++)); });
        const int away = digit * weight;
        steps.sendrecv(at(leaving, first, n - first), around(rank, away, p), at(arriving, first, n - first),
                       around(rank, -away, p));
      }
      steps.end_round();
      n = 0;
      for (int digit = 1; digit < radix && digit * weight < p; ++digit) {
        travellers(digit, [&](int k) { steps.copy(at(arriving, n++), at(waiting, k)); });
      }
    }
    for (int k = 1; k < p; ++k) steps.copy(at(waiting, k), call.receive[around(rank, -k, p)]);
  }
};
template <>
struct AlgorithmOf<Operation::alltoall, 1> : AlltoallBruck {};

}  // namespace ompi_lite::coll
