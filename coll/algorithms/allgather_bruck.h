// SPDX-License-Identifier: BSD-3-Clause
// All-gather by the algorithm of Bruck and others (1997), with any radix.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  radix 2, p = 4:   1 block from distance 1      ceil(log_k p) rounds for any p, blocks of any sizes and places; packed in
//                    2 blocks from distance 2     scratch memory in the order rank, rank+1, ..., and put in their places
//                    last.
struct AllgatherBruck {
  static constexpr const char* name = "bruck";
  static constexpr ParameterRange parameter = kRadix;
  static constexpr Count usual(const Question&) { return 2; }
  static constexpr Cost cost(const Question& q, Count radix) {
    const double p = q.ranks, m = static_cast<double>(q.bytes);
    const auto k = static_cast<int>(radix);
    return Cost::alike(q, rounds_of(q.ranks, k), partners_of(q.ranks, k), (p - 1) * m, p * m);
  }
  template <Steps S>
  static void run(S& steps, const AllgatherCall& call) {
    const int p = steps.size(), rank = steps.rank(), radix = static_cast<int>(call.parameter);
    Count* const begins = steps.numbers(p + 1);  // where the block of rank `rank + i` begins
    if (begins == nullptr) return;
    begins[0] = 0;
    for (int i = 0; i < p; ++i) begins[i + 1] = begins[i] + steps.bytes(call.blocks[around(rank, i, p)]);
    const Part packed = steps.scratch(begins[p]);
    const auto run_of = [&](int first, int n) {
      return steps.slice(packed, begins[first], begins[first + n] - begins[first]);
    };
    steps.copy(call.blocks[rank], run_of(0, 1));
    for (int have = 1; have < p; have *= radix) {
      for (int digit = 1; digit < radix && digit * have < p; ++digit) {
        const int away = digit * have, n = std::min(have, p - away);
        steps.sendrecv(run_of(0, n), around(rank, -away, p), run_of(away, n), around(rank, away, p));
      }
      steps.end_round();
    }
    for (int i = 1; i < p; ++i) steps.copy(run_of(i, 1), call.blocks[around(rank, i, p)]);
  }
};
template <>
struct AlgorithmOf<Operation::allgather, 2> : AllgatherBruck {};
template <>
struct AlgorithmOf<Operation::allgatherv, 2> : AllgatherBruck {};

}  // namespace ompi_lite::coll
