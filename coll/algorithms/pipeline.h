// SPDX-License-Identifier: BSD-3-Clause
// Pipelines: pieces of a message walk down or up a tree, one behind the other.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

// Where a rank stands in a tree of at most two children; -1: there is none.
struct TreePlace {
  int parent = -1, children[2] = {-1, -1};
};
// The chain 0 -> 1 -> 2 -> 3 and the binary tree 0 -> 1, 2   1 -> 3, 4, over virtual ranks that begin at `root`.
constexpr TreePlace chain_place(int rank, int root, int p) {
  const int v = around(rank, -root, p);
  return {v > 0 ? around(rank, -1, p) : -1, {v < p - 1 ? around(rank, 1, p) : -1, -1}};
}
constexpr TreePlace binary_place(int rank, int root, int p) {
  const int v = around(rank, -root, p);
  const auto real = [&](int each) { return each < p ? around(each, root, p) : -1; };
  return {v > 0 ? around((v - 1) / 2, root, p) : -1, {real(2 * v + 1), real(2 * v + 2)}};
}

// How pieces of at most `piece` elements make up a part.
struct Pieces {
  Count count, piece;
  constexpr Count number() const { return (count + piece - 1) / piece; }
  template <Steps S>
  Part cut(const S& steps, const Part& whole, Count i) const {
    return steps.slice(whole, i * piece, std::min(piece, count - i * piece));
  }
};

//  round i:  piece i comes, piece i-1 goes on          depth + pieces rounds; a rank sends each byte once to each child
template <Steps S>
void pipeline_down(S& steps, const TreePlace& place, const Part& data, Count piece) {
  const Pieces pieces{data.count, piece};
  steps.loop(pieces.number() + 1, [&](Count i) {
    if (place.parent >= 0 && i < pieces.number()) steps.recv(pieces.cut(steps, data, i), place.parent);
    for (int child : place.children) {
      if (child >= 0 && i > 0) steps.send(pieces.cut(steps, data, i - 1), child);
    }
    steps.end_round();
  });
}

//  round i:  piece i comes from the children, is reduced with the own one, and goes on in round i + 1
//
// The product stands in the order own, first child, second child. `output` counts where there is no parent, and may be
// `input`.
template <Steps S>
void pipeline_up(S& steps, const TreePlace& place, const Part& input, const Part& output, Count piece) {
  const Pieces pieces{input.count, piece};
  const bool top = place.parent < 0, leaf = place.children[0] < 0, two = place.children[1] >= 0;
  const Count room = leaf ? 0 : std::min(piece, input.count);
  Part arrived[2][2];  // by parity of the piece, so that one may leave while the next comes; by child
  for (auto& parity : arrived) {
    parity[0] = steps.scratch(room);
    parity[1] = steps.scratch(two ? room : 0);
  }
  const auto into = [&](Count i, int child) {
    return steps.slice(arrived[i % 2][child], 0, std::min(piece, input.count - i * piece));
  };
  if (top && leaf && input != output) steps.copy(input, output);
  steps.loop(pieces.number() + 1, [&](Count i) {
    const bool comes = !leaf && i < pieces.number();
    if (comes) steps.recv(into(i, 0), place.children[0]);
    if (comes && two) steps.recv(into(i, 1), place.children[1]);
    if (!top && i > 0) steps.send(leaf ? pieces.cut(steps, input, i - 1) : into(i - 1, 0), place.parent);
    steps.end_round();
    if (!comes) return;
    const Part own = pieces.cut(steps, input, i), sum = into(i, 0);
    if (two) steps.reduce(into(i, 1), sum);
    if (top && input != output) return steps.reduce_copy(own, sum, pieces.cut(steps, output, i));
    steps.reduce(own, sum);
    if (top) steps.copy(sum, own);
  });
}

// The piece that costs least where `bytes` walk over `depth` hops: each piece costs its start, the last one the whole way.
constexpr Count good_segment(Count bytes, double depth) {
  constexpr double kStart = 32 << 10;  // bytes that go in the time that a message takes to start
  Count segment = 8 << 10;
  while (segment < (Count{1} << 20) &&
         static_cast<double>(segment) * static_cast<double>(segment) * depth < kStart * static_cast<double>(bytes)) {
    segment *= 2;
  }
  return segment;
}

}  // namespace ompi_lite::coll
