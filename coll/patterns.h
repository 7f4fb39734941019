// SPDX-License-Identifier: BSD-3-Clause
// Pure index arithmetic of the algorithms: who talks to whom about which blocks. No communication, correct for every p.
#pragma once

#include <algorithm>

#include "ompi_lite/base/count_span.h"

namespace ompi_lite::coll {

// rank + distance around the ring of p ranks; |distance| <= p.
constexpr int around(int rank, int distance, int p) {
  const int sum = rank + distance;
  return sum < 0 ? sum + p : sum >= p ? sum - p : sum;
}

// Cuts `count` elements into `parts` consecutive blocks whose sizes differ by one at most: block i is [begin(i), begin(i
// + 1)).
class EvenSplit {
 public:
  constexpr EvenSplit(Count count, int parts) : each_(count / parts), longer_(count % parts) {}
  constexpr Count begin(int i) const { return each_ * i + std::min<Count>(i, longer_); }
  constexpr Count size(int first, int n = 1) const { return begin(first + n) - begin(first); }

 private:
  Count each_, longer_;
};

// Blocks of any sizes: borders[i] is where block i begins, borders[p] the end.
class ListedSplit {
 public:
  constexpr explicit ListedSplit(const Count* borders) : borders_(borders) {}
  constexpr Count begin(int i) const { return borders_[i]; }
  constexpr Count size(int first, int n = 1) const { return begin(first + n) - begin(first); }

 private:
  const Count* borders_;
};

// The binomial tree over p ranks with root 0. Rank v's subtree is the run [v, v + subtree(v)): parents precede children,
// and the children of v stand in ascending order, so that a reduction up the tree can keep rank order.
//
//   p = 6:   0 -> 1, 2, 4    2 -> 3    4 -> 5
struct BinomialTree {
  int p;

  constexpr int parent(int v) const { return v & (v - 1); }
  constexpr int subtree(int v) const { return v == 0 ? p : std::min(v & -v, p - v); }
  // Child number i of v joins [v, v + 2^i) with [v + 2^i, ...); it exists while this is inside v's subtree.
  constexpr bool has_child(int v, int i) const { return (1 << i) < subtree(v); }
  constexpr int child(int v, int i) const { return v + (1 << i); }
  constexpr int children(int v) const {
    int n = 0;
    while (n < 30 && has_child(v, n)) ++n;
    return n;
  }
};

// The largest power of two ranks go on alone; the first 2 * surplus ranks pair up before (2i gives to 2i + 1) and after. The
// survivors stand in rank order, so each always speaks for a run of ranks.
struct FoldedRanks {
  int p, power, surplus;

  constexpr explicit FoldedRanks(int ranks) : p(ranks), power(1), surplus(0) {
    while (power * 2 <= p) power *= 2;
    surplus = p - power;
  }
  constexpr bool paired(int rank) const { return rank < 2 * surplus; }
  constexpr bool survives(int rank) const { return !paired(rank) || rank % 2 == 1; }
  constexpr int folded(int rank) const { return paired(rank) ? rank / 2 : rank - surplus; }  // of a survivor
  constexpr int unfolded(int index) const { return index < surplus ? 2 * index + 1 : index + surplus; }
};

// The circulant graph with halved distances: ceil(log2 p) rounds for any p. In the round with `reach` blocks still alive
// a rank speaks with the ranks at distance half(reach) and hands over reach - half(reach) blocks. Going up, the reverse.
//
//   p = 6:   reach 6 -> distance 3, 3 blocks   reach 3 -> distance 2, 1 block   reach 2 -> distance 1, 1 block
constexpr int half(int reach) { return (reach + 1) / 2; }
// The last reach before `reach` on the way down, i.e. the next one on the way up.
constexpr int reach_above(int reach, int p) {
  int above = p;
  while (half(above) > reach) above = half(above);
  return above;
}

// Calls body(first, n) for the one or two runs without a wrap that the n blocks from `first` on around the ring of p make
// up.
template <class Body>
constexpr void for_each_run(int first, int n, int p, Body&& body) {
  const int straight = std::min(n, p - first);
  if (straight > 0) body(first, straight);
  if (n > straight) body(0, n - straight);
}

}  // namespace ompi_lite::coll
