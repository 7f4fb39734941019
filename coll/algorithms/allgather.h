// SPDX-License-Identifier: BSD-3-Clause
// All-gather algorithms. A rank's own block lies in its place before they begin.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/patterns.h"
#include "coll/shape.h"
#include "coll/steps.h"

namespace ompi_lite::coll {

//  0 -> 1,2,3   then  1 -> 2,3,0   then ...    p(p-1) messages, one rank after the other. The reference.
template <Steps S>
void allgather_linear(S& steps, const Blocks& blocks) {
  const int p = steps.size();
  for (int root = 0; root < p; ++root) {
    if (root != steps.rank()) {
      steps.recv(blocks[root], root);
      steps.end_round();
      continue;
    }
    for (int i = 1; i < p; ++i) {
      steps.send(blocks[root], around(root, i, p));
      if (i % kWindow == 0) steps.end_round();
    }
    steps.end_round();
  }
}

//  p-1 times:  0 -> 1 -> 2 -> 3 -> 0       a rank passes on what came last: m/p bytes a round, neighbours only.
template <Steps S>
void allgather_ring(S& steps, const Blocks& blocks) {
  const int p = steps.size(), rank = steps.rank();
  for (int k = 0; k < p - 1; ++k) {
    steps.sendrecv(blocks[around(rank, -k, p)], around(rank, 1, p), blocks[around(rank, -k - 1, p)], around(rank, -1, p));
    steps.end_round();
  }
}

// Up the circulant graph: see divide.h. Blocks side by side only.
template <Steps S>
void allgather_circulant(S& steps, const Blocks& blocks) {
  circulant_allgather(steps, steps.rank(), 0, [&](int first, int n) { return blocks.run(first, n); });
}

//  p = 4:   1 block from distance 1        ceil(log2 p) rounds for any p, blocks of any sizes and places; packed in scratch
//           2 blocks from distance 2       memory in the order rank, rank+1, ..., and put in their places at the end.
template <Steps S>
void allgather_bruck(S& steps, const Blocks& blocks) {
  const int p = steps.size(), rank = steps.rank();
  const auto bytes = [&](int first, int n) {  // of the blocks of ranks rank + first, ... rank + first + n - 1
    Count sum = 0;
    for (int i = 0; i < n; ++i) sum += steps.bytes(blocks[around(rank, first + i, p)]);
    return sum;
  };
  const Part packed = steps.scratch(bytes(0, p));
  steps.copy(blocks[rank], steps.slice(packed, 0, bytes(0, 1)));
  for (int have = 1; have < p;) {
    const int n = std::min(have, p - have);
    const Count before = bytes(0, have);
    steps.sendrecv(steps.slice(packed, 0, bytes(0, n)), around(rank, -have, p), steps.slice(packed, before, bytes(have, n)),
                   around(rank, have, p));
    steps.end_round();
    have += n;
  }
  Count at = bytes(0, 1);
  for (int i = 1; i < p; ++i) {
    const Part block = blocks[around(rank, i, p)];
    steps.copy(steps.slice(packed, at, steps.bytes(block)), block);
    at += steps.bytes(block);
  }
}

}  // namespace ompi_lite::coll
