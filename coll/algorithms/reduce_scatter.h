// SPDX-License-Identifier: BSD-3-Clause
// Reduce-scatter algorithms. Rank i gets the reduction of block i; `Split` says where the blocks of the vector begin.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/algorithms/reduce.h"
#include "coll/patterns.h"
#include "coll/steps.h"

namespace ompi_lite::coll {

//  0 <- 1, 2, 3 (whole vectors)   0 -> 1, 2, 3 (blocks)           The reference.
template <Steps S, class Split>
void reduce_scatter_linear(S& steps, const Part& input, const Part& output, const Split& split) {
  const int p = steps.size(), rank = steps.rank();
  if (rank != 0) {
    reduce_linear(steps, input, output, 0);
    steps.recv(output, 0);
    return steps.end_round();
  }
  const Part whole = steps.scratch(input.count);
  reduce_linear(steps, input, whole, 0);
  for (int i = 1; i < p; ++i) {
    steps.send(block_of(steps, whole, split, i), i);
    if (i % kWindow == 0) steps.end_round();
  }
  steps.end_round();
  steps.copy(block_of(steps, whole, split, 0), output);
}

//  k = 1..p-1:  rank -> rank+k its block   Every rank collects p-1 contributions to its own block, then reduces them in rank
//                                          order: any op, and each block is reduced in the same order as by one rank alone.
template <Steps S, class Split>
void reduce_scatter_pairwise(S& steps, const Part& input, const Part& output, const Split& split) {
  const int p = steps.size(), rank = steps.rank();
  const Count mine = split.size(rank);
  const Part others = steps.scratch(mine * p);
  const auto from = [&](int i) {
    return i == rank ? block_of(steps, input, split, rank) : steps.slice(others, mine * i, mine);
  };
  for (int k = 1; k < p; ++k) {
    const int to = around(rank, k, p), source = around(rank, -k, p);
    steps.sendrecv(block_of(steps, input, split, to), to, from(source), source);
    if (k % kWindow == 0) steps.end_round();
  }
  steps.end_round();
  if (mine == 0) return;
  // From the right: the sum of the ranks above is always in memory of ours, only the own block is not.
  Part sum = from(p - 1);
  if (rank == p - 1) {
    sum = steps.slice(others, mine * rank, mine);
    steps.copy(block_of(steps, input, split, rank), sum);
  }
  for (int i = p - 2; i >= 0; --i) steps.reduce(from(i), sum);
  steps.copy(sum, output);
}

// Down the circulant graph: see divide.h. Commutative ops.
template <Steps S, class Split>
void reduce_scatter_circulant(S& steps, const Part& input, const Part& output, const Split& split) {
  const Part vector = steps.scratch(input.count);
  circulant_reduce_scatter(steps, input, vector, split);
  steps.copy(block_of(steps, vector, split, steps.rank()), output);
}

// Around the ring: see divide.h. Commutative ops.
template <Steps S, class Split>
void reduce_scatter_ring(S& steps, const Part& input, const Part& output, const Split& split) {
  const Part vector = steps.scratch(input.count);
  ring_reduce_scatter(steps, input, vector, split);
  steps.copy(block_of(steps, vector, split, steps.rank()), output);
}

}  // namespace ompi_lite::coll
