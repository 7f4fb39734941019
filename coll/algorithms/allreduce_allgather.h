// SPDX-License-Identifier: BSD-3-Clause
// All-reduce as an all-gather of the vectors, which every rank reduces by itself.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  all-gather, then everyone reduces all vectors in rank order
//                                          ceil(log2 p) rounds for any p, (p-1) m bytes: for a few cells, any op.
struct AllreduceAllgather {
  static constexpr const char* name = "allgather_reduce";
  static constexpr bool fixed_order = true;
  static constexpr Cost cost(const Question& q, Count) {
    const double m = static_cast<double>(q.bytes), rounds = rounds_of(q.ranks), others = q.ranks - 1;
    return Cost::alike(q, rounds, rounds, others * m, (q.ranks + 1) * m);
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    const int p = steps.size(), rank = steps.rank();
    const Count m = call.input.count;
    const Part all = steps.scratch(m * p);  // the vector of rank `rank + i` at place i
    const auto place = [&](int i, int n = 1) { return steps.slice(all, m * i, m * n); };
    steps.copy(call.input, place(0));
    for (int have = 1; have < p;) {
      const int n = std::min(have, p - have);
      steps.sendrecv(place(0, n), around(rank, -have, p), place(have, n), around(rank, have, p));
      steps.end_round();
      have += n;
    }
    const Part sum = place(around(p - 1, -rank, p));
    for (int i = p - 2; i > 0; --i) steps.reduce(place(around(i, -rank, p)), sum);
    if (p == 1) return steps.copy(sum, call.output);
    steps.reduce_copy(place(around(0, -rank, p)), sum, call.output);
  }
};
template <>
struct AlgorithmOf<Operation::allreduce, 2> : AllreduceAllgather {};

}  // namespace ompi_lite::coll
