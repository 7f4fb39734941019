// SPDX-License-Identifier: BSD-3-Clause
// The index arithmetic of the collectives, for every p up to 64.
#include "coll/patterns.h"

#include <bit>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

using namespace ompi_lite;
using namespace ompi_lite::coll;

TEST_CASE("an even split covers every element once, in blocks that differ by one at most") {
  for (int p = 1; p <= 64; ++p) {
    for (Count n : {Count{0}, Count{1}, Count{p - 1}, Count{p}, Count{p + 1}, Count{1009}, Count{1} << 40}) {
      const EvenSplit split(n, p);
      REQUIRE(split.begin(0) == 0);
      REQUIRE(split.begin(p) == n);
      for (int i = 0; i < p; ++i) {
        REQUIRE(split.size(i) >= n / p);
        REQUIRE(split.size(i) <= n / p + 1);
      }
    }
  }
}

TEST_CASE("a k-nomial tree reaches every rank once, from a parent whose subtree holds it") {
  for (int p = 1; p <= 64; ++p) {
    for (int radix : {2, 3, 4, 7, 16}) {
      const KnomialTree tree{p, radix};
      std::set<int> reached{0};
      for (int v = 0; v < p; ++v) {
        int next = v + 1;
        std::vector<int> up, down;
        tree.ascending(v, [&](int child) {
          REQUIRE(child == next);  // in ascending order, side by side: what keeps rank order
          REQUIRE(tree.parent(child) == v);
          REQUIRE(reached.insert(child).second);
          next = child + tree.subtree(child);
          up.push_back(child);
        });
        REQUIRE(next == v + tree.subtree(v));
        tree.descending(v, [&](int child) { down.insert(down.begin(), child); });
        REQUIRE(up == down);
      }
      REQUIRE(static_cast<int>(reached.size()) == p);
    }
  }
}

TEST_CASE("leaders are a power of the radix, in order, each with a group of neighbours behind it") {
  for (int p = 1; p <= 64; ++p) {
    for (int radix : {2, 3, 4, 7, 16}) {
      const Leaders leaders(p, radix);
      int power = leaders.power;
      while (power % radix == 0) power /= radix;
      REQUIRE(power == 1);
      REQUIRE(leaders.power <= p);
      REQUIRE(leaders.power * radix > p);
      int rank = 0;
      for (int group = 0; group < leaders.power; ++group) {
        REQUIRE(leaders.leader(group) == rank);
        for (; rank < leaders.end(group); ++rank) REQUIRE(leaders.group(rank) == group);
      }
      REQUIRE(rank == p);
    }
  }
}

TEST_CASE("the circulant graph halves its reach in ceil(log2 p) rounds, and goes back up the same way") {
  for (int p = 2; p <= 64; ++p) {
    int rounds = 0, blocks = 0;
    for (int reach = p; reach > 1; reach = half(reach)) {
      REQUIRE(reach - half(reach) <= half(reach));
      REQUIRE(reach_above(half(reach), p) == reach);
      blocks += reach - half(reach);
      ++rounds;
    }
    REQUIRE(blocks == p - 1);
    REQUIRE(rounds == static_cast<int>(std::bit_width(static_cast<unsigned>(p - 1))));
  }
}

TEST_CASE("runs around the ring name each block once, without a wrap inside") {
  for (int p = 1; p <= 64; ++p) {
    for (int first = 0; first < p; ++first) {
      for (int n = 0; n <= p; ++n) {
        std::vector<int> blocks;
        for_each_run(first, n, p, [&](int from, int count) {
          REQUIRE(from + count <= p);
          for (int i = 0; i < count; ++i) blocks.push_back(from + i);
        });
        REQUIRE(static_cast<int>(blocks.size()) == n);
        for (int i = 0; i < n; ++i) REQUIRE(blocks[static_cast<std::size_t>(i)] == around(first, i, p));
      }
    }
  }
}
