// SPDX-License-Identifier: BSD-3-Clause
// Scan and exscan algorithms, in rank order. `output` may be `input` (in place).
#pragma once

#include "coll/algorithms/partial.h"
#include "coll/patterns.h"
#include "coll/steps.h"

namespace ompi_lite::coll {

//  0 -> 1 -> 2 -> 3                        p-1 hops of whole vectors. The reference.
template <Steps S>
void scan_linear(S& steps, const Part& input, const Part& output) {
  const int rank = steps.rank();
  if (output != input) steps.copy(input, output);
  if (rank > 0) {
    const Part before = steps.scratch(input.count);
    steps.recv(before, rank - 1);
    steps.end_round();
    steps.reduce(before, output);
  }
  if (rank < steps.size() - 1) steps.send(output, rank + 1);
  steps.end_round();
}

//  the same, one hop ahead: a rank passes on what came, with its own input behind
template <Steps S>
void exscan_linear(S& steps, const Part& input, const Part& output) {
  const int rank = steps.rank(), p = steps.size();
  if (rank == 0) {
    if (p > 1) steps.send(input, 1);
    return steps.end_round();
  }
  const Part before = steps.scratch(input.count);
  steps.recv(before, rank - 1);
  steps.end_round();
  if (rank < p - 1) {
    const Part after = steps.scratch(input.count);
    steps.reduce_copy(before, input, after);
    steps.send(after, rank + 1);
    steps.end_round();
  }
  steps.copy(before, output);
}

// Makes the value of each rank from `first` on the product of those of the ranks first .. rank.
//
//  0 -> 1   1 -> 2   2 -> 3                distance 1: a rank speaks for itself and the one before it
//  0 -> 2   1 -> 3                         distance 2: for four ...   ceil(log2 p) rounds of whole vectors, any p, any op.
template <Steps S>
void doubling_scan(S& steps, Partial<S>& sum, int first) {
  const int rank = steps.rank(), p = steps.size();
  for (int distance = 1; distance < p - first; distance *= 2) {
    const bool lower = rank - distance >= first;
    const Part operand = lower ? sum.spare() : Part{};
    if (rank + distance < p) steps.send(sum.value(), rank + distance);
    if (lower) steps.recv(operand, rank - distance);
    steps.end_round();
    if (lower) sum.absorb_left(operand);
  }
}

template <Steps S>
void scan_doubling(S& steps, const Part& input, const Part& output) {
  Partial<S> sum(steps, input, output);
  doubling_scan(steps, sum, 0);
  sum.copy_to(output);
}

//  rank -> rank+1, then a scan of what came over the ranks from 1 on: one round more than a scan.
template <Steps S>
void exscan_doubling(S& steps, const Part& input, const Part& output) {
  const int rank = steps.rank(), p = steps.size();
  const Part shifted = rank == 0 ? Part{} : steps.scratch(input.count);
  if (rank < p - 1) steps.send(input, rank + 1);
  if (rank > 0) steps.recv(shifted, rank - 1);
  steps.end_round();
  if (rank == 0) return;
  Partial<S> sum(steps, shifted, output);
  doubling_scan(steps, sum, 1);
  sum.copy_to(output);
}

}  // namespace ompi_lite::coll
