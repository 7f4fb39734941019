// SPDX-License-Identifier: BSD-3-Clause
// Scan and exscan by doubling.
#pragma once

#include "coll/algorithms/partial.h"
#include "coll/calls.h"

namespace ompi_lite::coll {

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

struct ScanDoubling {
  static constexpr const char* name = "doubling";
  static constexpr Cost cost(const Question& q, Count) {
    const double rounds = rounds_of(q.ranks), m = static_cast<double>(q.bytes);
    return Cost::alike(q, rounds, rounds, rounds * m, rounds * m);
  }
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    Partial<S> sum(steps, call.input, call.output);
    doubling_scan(steps, sum, 0);
    sum.copy_to(call.output);
  }
};
template <>
struct AlgorithmOf<Operation::scan, 1> : ScanDoubling {};

//  rank -> rank+1, then a scan of what came over the ranks from 1 on: one round more than a scan.
struct ExscanDoubling : ScanDoubling {
  template <Steps S>
  static void run(S& steps, const ReduceCall& call) {
    const int rank = steps.rank(), p = steps.size();
    const Part shifted = rank == 0 ? Part{} : steps.scratch(call.input.count);
    if (rank < p - 1) steps.send(call.input, rank + 1);
    if (rank > 0) steps.recv(shifted, rank - 1);
    steps.end_round();
    if (rank == 0) return;
    Partial<S> sum(steps, shifted, call.output);
    doubling_scan(steps, sum, 1);
    sum.copy_to(call.output);
  }
};
template <>
struct AlgorithmOf<Operation::exscan, 1> : ExscanDoubling {};

}  // namespace ompi_lite::coll
