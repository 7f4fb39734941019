// SPDX-License-Identifier: BSD-3-Clause
// Gather algorithms. `blocks` counts at the root only, where the root's own block is in its place already.
#pragma once

#include "coll/patterns.h"
#include "coll/shape.h"
#include "coll/steps.h"

namespace ompi_lite::coll {

//  root <- 1, 2, 3                         p-1 messages, straight to their places, kWindow under way at a time. Reference,
//                                          and the best for large blocks; only the root knows the sizes (gatherv).
template <Steps S>
void gather_linear(S& steps, const Part& mine, const Blocks& blocks, int root) {
  const int p = steps.size();
  if (steps.rank() != root) {
    steps.send(mine, root);
    return steps.end_round();
  }
  for (int k = 1; k < p; ++k) {
    const int source = around(root, k, p);
    steps.recv(blocks[source], source);
    if (k % kWindow == 0) steps.end_round();
  }
  steps.end_round();
}

//  0 <- 1   2 <- 3
//  0 <- 2 (blocks 2, 3)                    ceil(log2 p) rounds; inner ranks hold their subtree's blocks, packed, in scratch
//                                          memory. `block` is the number of bytes of one.
template <Steps S>
void gather_binomial(S& steps, const Part& mine, const Blocks& blocks, int root, Count block) {
  const int p = steps.size();
  const BinomialTree tree{p};
  const int v = around(steps.rank(), -root, p), n = tree.subtree(v);
  Part packed = mine;
  if (n > 1) {
    packed = steps.scratch(block * n);
    if (v != 0) steps.copy(mine, steps.slice(packed, 0, block));
  }
  for (int i = 0; i < tree.children(v); ++i) {
    const int child = tree.child(v, i);
    steps.recv(steps.slice(packed, block * (child - v), block * tree.subtree(child)), around(child, root, p));
    steps.end_round();
  }
  if (v != 0) {
    steps.send(packed, around(tree.parent(v), root, p));
    return steps.end_round();
  }
  for (int i = 1; i < p; ++i) steps.copy(steps.slice(packed, block * i, block), blocks[around(root, i, p)]);
}

}  // namespace ompi_lite::coll
