// SPDX-License-Identifier: BSD-3-Clause
// Reduce algorithms. `output` counts at the root only; it may be `input` (in place).
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/algorithms/partial.h"
#include "coll/patterns.h"
#include "coll/steps.h"

namespace ompi_lite::coll {

//  root <- 3, then 2, then 1, then 0       p-1 whole vectors to the root, reduced in rank order from the right. Reference.
template <Steps S>
void reduce_linear(S& steps, const Part& input, const Part& output, int root) {
  const int p = steps.size();
  if (steps.rank() != root) {
    steps.send(input, root);
    return steps.end_round();
  }
  const Part sum = steps.scratch(input.count), operand = steps.scratch(input.count);
  for (int i = p - 1; i >= 0; --i) {
    const Part& into = i == p - 1 ? sum : operand;
    if (i == root) {
      if (i == p - 1) steps.copy(input, sum);
    } else {
      steps.recv(into, i);
      steps.end_round();
    }
    if (i < p - 1) steps.reduce(i == root ? input : operand, sum);
  }
  steps.copy(sum, output);
}

//  0 <- 1   2 <- 3
//  0 <- 2                                  ceil(log2 p) rounds of whole vectors. A rank always speaks for a run of ranks, so
//                                          rank order is kept; ops that do not commute go up to rank 0 and then to the root.
template <Steps S>
void reduce_binomial(S& steps, const Part& input, const Part& output, int root, bool commutative) {
  const int p = steps.size(), top = commutative ? root : 0;
  const BinomialTree tree{p};
  const int v = around(steps.rank(), -top, p);
  Partial<S> sum = steps.rank() == root ? Partial<S>(steps, input, output) : Partial<S>(steps, input);
  for (int i = 0; tree.has_child(v, i) && i < 30; ++i) {
    const Part operand = sum.spare();
    steps.recv(operand, around(tree.child(v, i), top, p));
    steps.end_round();
    sum.absorb_right(operand);
  }
  if (v != 0) {
    steps.send(sum.value(), around(tree.parent(v), top, p));
    steps.end_round();
  }
  if (top == root) {
    if (v == 0) sum.copy_to(output);
    return;
  }
  if (steps.rank() == top) steps.send(sum.value(), root);
  if (steps.rank() == root) steps.recv(output, top);
  steps.end_round();
}

//  reduce-scatter on the circulant graph, then root <- 1, 2, 3 (blocks)
//                                          ceil(log2 p) + 1 rounds, about 2m bytes through each rank. Commutative ops.
template <Steps S>
void reduce_scatter_gather(S& steps, const Part& input, const Part& output, int root) {
  const int p = steps.size(), rank = steps.rank();
  const EvenSplit split(input.count, p);
  Part vector = output;
  if (rank != root) vector = steps.scratch(input.count);
  circulant_reduce_scatter(steps, input, vector, split);
  if (rank != root) {
    if (split.size(rank) > 0) steps.send(block_of(steps, vector, split, rank), root);
    return steps.end_round();
  }
  for (int k = 1; k < p; ++k) {
    const int i = around(root, k, p);
    if (split.size(i) > 0) steps.recv(block_of(steps, vector, split, i), i);
    if (k % kWindow == 0) steps.end_round();
  }
  steps.end_round();
}

}  // namespace ompi_lite::coll
