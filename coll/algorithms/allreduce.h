// SPDX-License-Identifier: BSD-3-Clause
// All-reduce algorithms. `output` may be `input` (in place). All ranks get the same bits.
#pragma once

#include "coll/algorithms/bcast.h"
#include "coll/algorithms/divide.h"
#include "coll/algorithms/partial.h"
#include "coll/algorithms/reduce.h"
#include "coll/patterns.h"
#include "coll/steps.h"

namespace ompi_lite::coll {

//  0 <- 3, 2, 1   0 -> 1, 2, 3             The reference.
template <Steps S>
void allreduce_linear(S& steps, const Part& input, const Part& output) {
  reduce_linear(steps, input, output, 0);
  bcast_linear(steps, output, 0);
}

//  0 <- 1   2 <- 3   then  0 <- 2          up a binomial tree and down again: 2 ceil(log2 p) rounds of whole vectors, but
//  0 -> 2   then  0 -> 1   2 -> 3          only 2(p-1) messages in all, what counts where ranks share cores. Any op.
template <Steps S>
void allreduce_tree(S& steps, const Part& input, const Part& output) {
  reduce_binomial(steps, input, output, 0, true);  // with root 0 rank order is kept whatever the op
  bcast_binomial(steps, output, 0);
}

//  all-gather of the vectors, then everyone reduces all of them in rank order
//                                          ceil(log2 p) rounds for any p, (p-1) m bytes: for a few cells, any op.
template <Steps S>
void allreduce_allgather(S& steps, const Part& input, const Part& output) {
  const int p = steps.size(), rank = steps.rank();
  const Count m = input.count;
  const Part all = steps.scratch(m * p);  // the vector of rank `rank + i` at place i
  const auto place = [&](int i, int n = 1) { return steps.slice(all, m * i, m * n); };
  steps.copy(input, place(0));
  for (int have = 1; have < p;) {
    const int n = std::min(have, p - have);
    steps.sendrecv(place(0, n), around(rank, -have, p), place(have, n), around(rank, have, p));
    steps.end_round();
    have += n;
  }
  const Part sum = place(around(p - 1, -rank, p));
  for (int i = p - 2; i > 0; --i) steps.reduce(place(around(i, -rank, p)), sum);
  if (p == 1) return steps.copy(sum, output);
  steps.reduce_copy(place(around(0, -rank, p)), sum, output);
}

//  0 <-> 1   2 <-> 3                       2^k ranks exchange whole vectors with partners at distance 1, 2, 4 ...; the ranks
//  0 <-> 2   1 <-> 3                       beyond 2^k give theirs to a neighbour first, get the result last. Rank order is
//                                          kept and both partners compute the same product. log2 p rounds (+ 2), any op.
template <Steps S>
void allreduce_recursive_doubling(S& steps, const Part& input, const Part& output) {
  const FoldedRanks ranks(steps.size());
  const int rank = steps.rank();
  if (!ranks.survives(rank)) {
    steps.send(input, rank + 1);
    steps.end_round();
    steps.recv(output, rank + 1);
    return steps.end_round();
  }
  Partial<S> sum(steps, input, output);
  if (ranks.paired(rank)) {
    const Part operand = sum.spare();
    steps.recv(operand, rank - 1);
    steps.end_round();
    sum.absorb_left(operand);
  }
  const int index = ranks.folded(rank);
  for (int distance = 1; distance < ranks.power; distance *= 2) {
    const int partner = ranks.unfolded(index ^ distance);
    const Part operand = sum.spare();
    steps.sendrecv(sum.value(), partner, operand, partner);
    steps.end_round();
    if (partner < rank) {
      sum.absorb_left(operand);
    } else {
      sum.absorb_right(operand);
    }
  }
  sum.copy_to(output);
  if (ranks.paired(rank)) {
    steps.send(sum.value(), rank - 1);
    steps.end_round();
  }
}

//  reduce-scatter, then all-gather, on the circulant graph
//                                          2 ceil(log2 p) rounds and 2(p-1)/p m bytes for any p. Commutative ops.
template <Steps S>
void allreduce_circulant(S& steps, const Part& input, const Part& output) {
  const EvenSplit split(input.count, steps.size());
  circulant_reduce_scatter(steps, input, output, split);
  circulant_allgather(steps, steps.rank(), 0, [&](int first, int n) { return block_of(steps, output, split, first, n); });
}

//  reduce-scatter, then all-gather, around the ring
//                                          2(p-1) rounds and 2(p-1)/p m bytes, neighbours only. Commutative ops.
template <Steps S>
void allreduce_ring(S& steps, const Part& input, const Part& output) {
  const int p = steps.size(), rank = steps.rank();
  const EvenSplit split(input.count, p);
  ring_reduce_scatter(steps, input, output, split);
  for (int k = 0; k < p - 1; ++k) {
    const int out = around(rank, -k, p), in = around(out, -1, p);
    steps.sendrecv(block_of(steps, output, split, out), around(rank, 1, p), block_of(steps, output, split, in),
                   around(rank, -1, p));
    steps.end_round();
  }
}

}  // namespace ompi_lite::coll
