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

// Blocks of any sizes: borders[i] is where block i begins, borders[p] the end. Without borders, an even split.
class Split {
 public:
  constexpr explicit Split(const Count* borders) : borders_(borders), even_(0, 1) {}
  constexpr Split(Count count, int parts) : borders_(nullptr), even_(count, parts) {}
  constexpr Count begin(int i) const { return borders_ != nullptr ? borders_[i] : even_.begin(i); }
  constexpr Count size(int first, int n = 1) const { return begin(first + n) - begin(first); }

 private:
  const Count* borders_;
  EvenSplit even_;
};

// The k-nomial tree over p ranks with root 0; binomial with radix 2. The children of v differ from it in one digit to the
// base k below its lowest one that is not 0. Rank v's subtree is the run [v, v + subtree(v)): parents precede children, and
// the children of v stand in ascending order side by side, so that a reduction up the tree can keep rank order.
//
//   p = 6, radix 2:   0 -> 1, 2, 4    2 -> 3    4 -> 5          p = 6, radix 3:   0 -> 1, 2, 3    3 -> 4, 5
struct KnomialTree {
  int p, radix;

  // What the lowest digit of v that is not 0 counts; for the root, more than any.
  constexpr int weight(int v) const {
    int weight = 1;
    while (weight < p && v / weight % radix == 0) weight *= radix;
    return weight;
  }
  constexpr int parent(int v) const { return v - v / weight(v) % radix * weight(v); }
  constexpr int subtree(int v) const { return std::min(weight(v), p - v); }
  // Calls body(child) from the smallest subtree to the largest.
  template <class Body>
  constexpr void ascending(int v, Body&& body) const {
    const int end = weight(v);
    for (int w = 1; w < end; w *= radix) {
      for (int digit = 1; digit < radix && v + digit * w < p; ++digit) body(v + digit * w);
    }
  }
  template <class Body>
  constexpr void descending(int v, Body&& body) const {
    int w = weight(v);
    for (w /= radix; w > 0; w /= radix) {
      for (int digit = radix - 1; digit > 0; --digit) {
        if (v + digit * w < p) body(v + digit * w);
      }
    }
  }
};

// Cuts the ranks into as many groups of neighbours as the largest power of `radix` allows, of sizes that differ by one at
// most. The first of each group leads it, so a leader always speaks for a run of ranks.
//
//   p = 6, radix 2:   groups 0 1   2 3   4   5                  p = 5, radix 3:   0 1   2 3   4
struct Leaders {
  int p, power = 1;

  constexpr Leaders(int ranks, int radix) : p(ranks) {
    while (power <= p / radix) power *= radix;
  }
  constexpr int each() const { return p / power; }
  constexpr int longer() const { return p % power; }
  constexpr int group(int rank) const {
    const int in_longer = longer() * (each() + 1);
    return rank < in_longer ? rank / (each() + 1) : longer() + (rank - in_longer) / each();
  }
  constexpr int leader(int group) const { return each() * group + std::min(group, longer()); }
  constexpr int end(int group) const { return leader(group + 1); }
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
