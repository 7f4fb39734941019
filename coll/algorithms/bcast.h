// SPDX-License-Identifier: BSD-3-Clause
// Broadcast algorithms. `data` has the same bytes at every rank, whatever its type there.
#pragma once

#include "coll/algorithms/divide.h"
#include "coll/patterns.h"
#include "coll/steps.h"

namespace ompi_lite::coll {

//  root -> 1, root -> 2, root -> 3         p-1 messages out of the root, one hop. The reference.
template <Steps S>
void bcast_linear(S& steps, const Part& data, int root) {
  if (steps.rank() != root) {
    steps.recv(data, root);
    return steps.end_round();
  }
  for (int i = 1; i < steps.size(); ++i) {
    steps.send(data, around(root, i, steps.size()));
    if (i % kWindow == 0) steps.end_round();
  }
  steps.end_round();
}

//  0 -> 2
//  0 -> 1   2 -> 3                         ceil(log2 p) hops, whole messages: for small ones.
template <Steps S>
void bcast_binomial(S& steps, const Part& data, int root) {
  const int p = steps.size();
  const BinomialTree tree{p};
  const int v = around(steps.rank(), -root, p);
  if (v != 0) {
    steps.recv(data, around(tree.parent(v), root, p));
    steps.end_round();
  }
  for (int i = tree.children(v) - 1; i >= 0; --i) steps.send(data, around(tree.child(v, i), root, p));
  steps.end_round();
}

//  0 -> 1 -> 2 -> 3                        pieces walk down the chain: p-2 + pieces rounds, a rank sends each byte once.
//                                          Bytes only: ranks must cut the data at the same places.
template <Steps S>
void bcast_chain(S& steps, const Part& data, int root, Count piece) {
  const int p = steps.size();
  const int v = around(steps.rank(), -root, p);
  const Count pieces = (data.count + piece - 1) / piece;
  const auto cut = [&](Count i) { return steps.slice(data, i * piece, std::min(piece, data.count - i * piece)); };
  steps.loop(pieces + 1, [&](Count i) {
    if (v > 0 && i < pieces) steps.recv(cut(i), around(steps.rank(), -1, p));
    if (v < p - 1 && i > 0) steps.send(cut(i - 1), around(steps.rank(), 1, p));
    steps.end_round();
  });
}

//  scatter:    0 -> 2 (blocks 2,3)   0 -> 1 (1)   2 -> 3 (3)      then every rank gathers the others' blocks.
//                                          2 ceil(log2 p) rounds, about 2m bytes through each rank. Bytes only.
template <Steps S>
void bcast_scatter_allgather(S& steps, const Part& data, int root) {
  const int p = steps.size();
  const EvenSplit split(data.count, p);
  const BinomialTree tree{p};
  const int v = around(steps.rank(), -root, p);
  const auto run = [&](int first, int n) { return steps.slice(data, split.begin(first), split.size(first, n)); };
  if (v != 0) {
    steps.recv(run(v, tree.subtree(v)), around(tree.parent(v), root, p));
    steps.end_round();
  }
  for (int i = tree.children(v) - 1; i >= 0; --i) {
    const int child = tree.child(v, i);
    steps.send(run(child, tree.subtree(child)), around(child, root, p));
  }
  steps.end_round();
  circulant_allgather(steps, v, root, run);
}

}  // namespace ompi_lite::coll
