// SPDX-License-Identifier: BSD-3-Clause
// All-to-all algorithms. A rank's block for itself is moved before they begin.
#pragma once

#include "coll/patterns.h"
#include "coll/shape.h"
#include "coll/steps.h"

namespace ompi_lite::coll {

//  0 -> 1,2,3   then  1 -> 2,3,0   then ...    one rank after the other. The reference.
template <Steps S>
void alltoall_linear(S& steps, const Blocks& send, const Blocks& receive) {
  const int p = steps.size();
  for (int root = 0; root < p; ++root) {
    if (root != steps.rank()) {
      steps.recv(receive[root], root);
      steps.end_round();
      continue;
    }
    for (int k = 1; k < p; ++k) {
      const int dest = around(root, k, p);
      steps.send(send[dest], dest);
      if (k % kWindow == 0) steps.end_round();
    }
    steps.end_round();
  }
}

//  k = 1..p-1:  rank -> rank+k             each block travels once, straight to its place; `window` partners at a time, in
//                                          an order that gives no rank two senders of the same k.
template <Steps S>
void alltoall_pairwise(S& steps, const Blocks& send, const Blocks& receive, int window = kWindow) {
  const int p = steps.size(), rank = steps.rank();
  for (int k = 1; k < p; ++k) {
    const int dest = around(rank, k, p), source = around(rank, -k, p);
    steps.sendrecv(send[dest], dest, receive[source], source);
    if (k % window == 0) steps.end_round();
  }
  steps.end_round();
}

//  bit 0 of k:  rank -> rank+1 (blocks 1, 3)    block k is to go k ranks around: it travels the distances that are set in k.
//  bit 1 of k:  rank -> rank+2 (blocks 2, 3)    ceil(log2 p) rounds, p/2 blocks in each: for small blocks of `block` bytes.
template <Steps S>
void alltoall_bruck(S& steps, const Blocks& send, const Blocks& receive, Count block) {
  const int p = steps.size(), rank = steps.rank();
  const Part waiting = steps.scratch(block * p);
  const Part leaving = steps.scratch(block * ((p + 1) / 2)), arriving = steps.scratch(block * ((p + 1) / 2));
  const auto at = [&](const Part& packed, int i) { return steps.slice(packed, block * i, block); };
  for (int k = 1; k < p; ++k) steps.copy(send[around(rank, k, p)], at(waiting, k));
  for (int distance = 1; distance < p; distance *= 2) {
    int n = 0;
    for (int k = 1; k < p; ++k) {
      if ((k & distance) != 0) steps.copy(at(waiting, k), at(leaving, n++));
    }
    steps.sendrecv(steps.slice(leaving, 0, block * n), around(rank, distance, p), steps.slice(arriving, 0, block * n),
                   around(rank, -distance, p));
    steps.end_round();
    n = 0;
    for (int k = 1; k < p; ++k) {
      if ((k & distance) != 0) steps.copy(at(arriving, n++), at(waiting, k));
    }
  }
  for (int k = 1; k < p; ++k) steps.copy(at(waiting, k), receive[around(rank, -k, p)]);
}

}  // namespace ompi_lite::coll
