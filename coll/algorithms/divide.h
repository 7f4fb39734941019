// SPDX-License-Identifier: BSD-3-Clause
// The halves of which the algorithms for large vectors are made: work divided among all ranks, then collected.
#pragma once

#include <algorithm>

#include "coll/patterns.h"
#include "coll/steps.h"

namespace ompi_lite::coll {

// The n blocks of the vector from `first` on.
template <Steps S, class Split>
Part block_of(const S& steps, const Part& vector, const Split& split, int first, int n = 1) {
  return steps.slice(vector, split.begin(first), split.size(first, n));
}

// vector = operand op own share, which lies in the same place of `input`; the vectors may be one.
template <Steps S>
void combine(S& steps, const Part& operand, const Part& input, const Part& vector) {
  if (input == vector) return steps.reduce(operand, vector);
  steps.reduce_copy(operand, input, vector);
}

// The down half of the circulant graph, from `input` into `vector`, which may be one: afterwards block `rank` is the
// reduction, the others are spoilt. Commutative ops. Every block is reduced by one rank alone, so all ranks that get it
// later get the same bits.
//
//  p = 4:   2 blocks to distance 2         ceil(log2 p) rounds and p-1 blocks for any p: the fewest of both.
//           1 block  to distance 1
template <Steps S, class Split>
void circulant_reduce_scatter(S& steps, const Part& input, const Part& vector, const Split& split) {
  const int p = steps.size(), rank = steps.rank();
  if (p == 1 && input != vector) steps.copy(input, vector);
  Count most = 0;
  for (int reach = p; reach > 1; reach = half(reach)) {
    Count coming = 0;
    for_each_run(rank, reach - half(reach), p, [&](int first, int n) { coming += split.size(first, n); });
    most = std::max(most, coming);
  }
  const Part arrived = steps.scratch(most);
  for (int reach = p; reach > 1; reach = half(reach)) {
    const int distance = half(reach), blocks = reach - distance;
    const Part& current = reach == p ? input : vector;
    for_each_run(around(rank, distance, p), blocks, p, [&](int first, int n) {
      if (split.size(first, n) > 0) steps.send(block_of(steps, current, split, first, n), around(rank, distance, p));
    });
    Count at = 0;
    for_each_run(rank, blocks, p, [&](int first, int n) {
      if (split.size(first, n) > 0) steps.recv(steps.slice(arrived, at, split.size(first, n)), around(rank, -distance, p));
      at += split.size(first, n);
    });
    steps.end_round();
    at = 0;
    for_each_run(rank, blocks, p, [&](int first, int n) {
      const Count size = split.size(first, n);
      const Part operand = steps.slice(arrived, at, size), share = block_of(steps, current, split, first, n);
      if (size > 0) combine(steps, operand, share, block_of(steps, vector, split, first, n));
      at += size;
    });
    // What no one sent to in the first round, one block if the reach is odd, has to come over all the same.
    if (current == vector) continue;
    for_each_run(around(rank, blocks, p), distance - blocks, p, [&](int first, int n) {
      if (split.size(first, n) > 0)
        steps.copy(block_of(steps, current, split, first, n), block_of(steps, vector, split, first, n));
    });
  }
}

// The down half of the ring, from `input` into `vector`, which may be one: afterwards block `rank` is the reduction, the
// others are spoilt. Commutative ops.
//
//  p-1 times:  0 -> 1 -> 2 -> 3 -> 0       a block collects a rank's share at each stop: m/p bytes a round, neighbours only.
template <Steps S, class Split>
void ring_reduce_scatter(S& steps, const Part& input, const Part& vector, const Split& split) {
  const int p = steps.size(), rank = steps.rank();
  if (p == 1 && input != vector) steps.copy(input, vector);
  Count most = 0;
  for (int i = 0; i < p; ++i) most = std::max(most, split.size(i));
  const Part arrived = steps.scratch(most);
  for (int k = 1; k < p; ++k) {
    const int out = around(rank, -k, p), in = around(out, -1, p);
    const Part operand = steps.slice(arrived, 0, split.size(in));
    steps.sendrecv(block_of(steps, k == 1 ? input : vector, split, out), around(rank, 1, p), operand, around(rank, -1, p));
    steps.end_round();
    if (operand.count > 0) combine(steps, operand, block_of(steps, input, split, in), block_of(steps, vector, split, in));
  }
}

// The up half of the circulant graph, over blocks 0 .. p-1 of which this rank, `v` of p, holds number v; v is rank
// around(v, shift). run(first, n) is the part that blocks [first, first + n) make up.
//
//  p = 4:   1 block from distance 1        ceil(log2 p) rounds and p-1 blocks for any p, without scratch memory: the fewest
//           2 blocks from distance 2       of both. A run of blocks that wraps past p-1 travels as two messages.
template <Steps S, class Run>
void circulant_allgather(S& steps, int v, int shift, Run&& run) {
  const int p = steps.size();
  for (int reach = 1; reach < p;) {
    const int above = reach_above(reach, p), n = above - reach;
    for_each_run(v, n, p, [&](int first, int blocks) {
      if (const Part part = run(first, blocks); part.count > 0) steps.send(part, around(around(v, -reach, p), shift, p));
    });
    for_each_run(around(v, reach, p), n, p, [&](int first, int blocks) {
      if (const Part part = run(first, blocks); part.count > 0) steps.recv(part, around(around(v, reach, p), shift, p));
    });
    steps.end_round();
    reach = above;
  }
}

}  // namespace ompi_lite::coll
