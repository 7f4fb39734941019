// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter straight to the owner of each block.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

//  k = 1..p-1:  rank -> rank+k its block   Every rank collects p-1 contributions to its own block, then reduces them in rank
//                                          order: any op, and each block is reduced in the same order as by one rank alone.
struct ReduceScatterPairwise {
  static constexpr const char* name = "pairwise";
  static constexpr bool fixed_order = true;
  static constexpr ParameterRange parameter{"window", 1, kWindow};
  static constexpr Count usual(const Question&) { return kWindow; }
  static constexpr Cost cost(const Question& q, Count window) {
    const double m = static_cast<double>(q.bytes), others = q.ranks - 1, turns = others / static_cast<double>(window);
    return Cost::alike(q, turns < 1 ? 1 : turns, others, m * others / q.ranks, m);
  }
  template <Steps S>
  static void run(S& steps, const ReduceScatterCall& call) {
    const int p = steps.size(), rank = steps.rank(), window = static_cast<int>(call.parameter);
    const Part own = block_of(steps, call.input, call.split, rank);
    const Count mine = own.count;
    const Part others = steps.scratch(mine * p);
    const auto from = [&](int i) { return i == rank ? own : steps.slice(others, mine * i, mine); };
    for (int k = 1; k < p; ++k) {
      const int to = around(rank, k, p), source = around(rank, -k, p);
      steps.sendrecv(block_of(steps, call.input, call.split, to), to, from(source), source);
      if (k % window == 0) steps.end_round();
    }
    steps.end_round();
    if (mine == 0) return;
    // From the right: the sum of the ranks above is always in memory of ours, only the own block is not.
    Part sum = from(p - 1);
    if (rank == p - 1) {
      sum = steps.slice(others, mine * rank, mine);
      steps.copy(own, sum);
    }
    for (int i = p - 2; i >= 0; --i) steps.reduce(from(i), sum);
    steps.copy(sum, call.output);
  }
};
template <>
struct AlgorithmOf<Operation::reduce_scatter, 1> : ReduceScatterPairwise {};
template <>
struct AlgorithmOf<Operation::reduce_scatter_block, 1> : ReduceScatterPairwise {};

}  // namespace ompi_lite::coll
