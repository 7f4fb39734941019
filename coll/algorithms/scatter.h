// SPDX-License-Identifier: BSD-3-Clause
// Scatter algorithms. `blocks` counts at the root only, which keeps its own block by itself.
#pragma once

#include "coll/patterns.h"
#include "coll/shape.h"
#include "coll/steps.h"

namespace ompi_lite::coll {

//  root -> 1, 2, 3                         p-1 messages, straight from their places, kWindow under way at a time. The
//                                          reference, and best for large blocks; only the root knows the sizes (scatterv).
template <Steps S>
void scatter_linear(S& steps, const Blocks& blocks, const Part& mine, int root) {
  const int p = steps.size();
  if (steps.rank() != root) {
    steps.recv(mine, root);
    return steps.end_round();
  }
  for (int k = 1; k < p; ++k) {
    const int dest = around(root, k, p);
    steps.send(blocks[dest], dest);
    if (k % kWindow == 0) steps.end_round();
  }
  steps.end_round();
}

//  0 -> 2 (blocks 2, 3)
//  0 -> 1   2 -> 3                         ceil(log2 p) rounds; inner ranks hold their subtree's blocks, packed, in scratch
//                                          memory. `block` is the number of bytes of one.
template <Steps S>
void scatter_binomial(S& steps, const Blocks& blocks, const Part& mine, int root, Count block) {
  const int p = steps.size();
  const BinomialTree tree{p};
  const int v = around(steps.rank(), -root, p), n = tree.subtree(v);
  Part packed = mine;
  if (n > 1) packed = steps.scratch(block * n);
  if (v == 0) {
    for (int i = 1; i < p; ++i) steps.copy(blocks[around(root, i, p)], steps.slice(packed, block * i, block));
  } else {
    steps.recv(packed, around(tree.parent(v), root, p));
    steps.end_round();
  }
  for (int i = tree.children(v) - 1; i >= 0; --i) {
    const int child = tree.child(v, i);
    steps.send(steps.slice(packed, block * (child - v), block * tree.subtree(child)), around(child, root, p));
  }
  steps.end_round();
  if (v != 0 && n > 1) steps.copy(steps.slice(packed, 0, block), mine);
}

}  // namespace ompi_lite::coll
