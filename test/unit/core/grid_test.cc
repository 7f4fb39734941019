// SPDX-License-Identifier: BSD-3-Clause
// Grids, graphs, balanced factors, and the order in which neighbors exchange blocks.
#include "ompi_lite/core/grid.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>

using namespace ompi_lite;

namespace {

std::vector<int> balanced(int nodes, std::vector<int> dims) {
  balance(nodes, dims);
  return dims;
}

// All ways to write m as a product of k factors, each at most `most`, the largest first.
void all_products(int m, std::size_t k, int most, std::vector<int>& now, std::vector<std::vector<int>>& all) {
  if (k == 0) {
    if (m == 1) all.push_back(now);
    return;
  }
  for (int d = std::min(m, most); d >= 1; --d) {
    if (m % d != 0) continue;
    now.push_back(d);
    all_products(m / d, k - 1, d, now, all);
    now.pop_back();
  }
}

// Mixed radix, last digit fastest: the definition of row-major order, by counting.
std::vector<std::vector<int>> all_coordinates(const std::vector<int>& dims) {
  std::vector<std::vector<int>> all{{}};
  for (int n : dims) {
    std::vector<std::vector<int>> longer;
    for (const auto& start : all)
      for (int i = 0; i < n; ++i) {
        longer.push_back(start);
        longer.back().push_back(i);
      }
    all = longer;
  }
  return all;
}

const std::vector<std::vector<int>> kShapes = {{},     {1},    {2},    {3},       {7},       {1, 1},       {2, 2},
                                               {3, 2}, {1, 5}, {4, 1}, {2, 3, 4}, {3, 1, 2}, {2, 2, 2, 2}, {5, 1, 1, 3}};

}  // namespace

TEST_CASE("balanced factors are the ones that an exhaustive search finds") {
  for (int m = 1; m <= 400; ++m) {
    for (std::size_t k = 1; k <= 4; ++k) {
      std::vector<std::vector<int>> all;
      std::vector<int> now;
      all_products(m, k, m, now, all);
      const auto better = [](const std::vector<int>& a, const std::vector<int>& b) {
        const int of_a = a.front() - a.back(), of_b = b.front() - b.back();
        if (of_a != of_b) return of_a < of_b;
        return std::lexicographical_compare(b.rbegin(), b.rend(), a.rbegin(), a.rend());
      };
      INFO("nodes " << m << ", dimensions " << k);
      REQUIRE(balanced(m, std::vector<int>(k, 0)) == *std::ranges::min_element(all, better));
    }
  }
}

TEST_CASE("balanced factors of known grids") {
  CHECK(balanced(6, {0, 0}) == std::vector{3, 2});
  CHECK(balanced(7, {0, 0}) == std::vector{7, 1});
  CHECK(balanced(6, {0, 3, 0}) == std::vector{2, 3, 1});
  CHECK(balanced(12, {0, 0, 0}) == std::vector{3, 2, 2});
  CHECK(balanced(1, {0, 0, 0}) == std::vector{1, 1, 1});
  CHECK(balanced(64, {0, 0, 0, 0}) == std::vector{4, 4, 2, 2});
  CHECK(balanced(144, {0, 0, 0}) == std::vector{6, 6, 4});
  CHECK(balanced(5040, {0, 0, 0}) == std::vector{21, 16, 15});
  CHECK(balanced(590520, {0, 0, 0, 0}) == std::vector{38, 37, 21, 20});
  CHECK(balanced(24, {0, 2, 0, 3}) == std::vector{2, 2, 2, 3});
  CHECK(balanced(6, {2, 3}) == std::vector{2, 3});
  CHECK(balanced(1, {}).empty());
}

TEST_CASE("balanced factors of large numbers are found at once") {
  constexpr int kMost = std::numeric_limits<int>::max();
  CHECK(balanced(kMost, {0, 0}) == std::vector{kMost, 1});
  CHECK(balanced(1 << 30, {0, 0, 0}) == std::vector{1024, 1024, 1024});
  CHECK(balanced(46340 * 46340, {0, 0}) == std::vector{46340, 46340});
  for (int m : {735134400, 1 << 30, 223092870, 2117376000, 1396755360, 2067024960}) {
    for (std::size_t k : {2U, 3U, 5U, 8U, 12U, 20U, 40U}) {
      const std::vector<int> dims = balanced(m, std::vector<int>(k, 0));
      INFO(m << " in " << k << " dimensions");
      CHECK(cells(dims) == m);
      CHECK(std::ranges::is_sorted(dims, std::greater<>()));
    }
  }
}

TEST_CASE("too large a grid is noticed") {
  CHECK(cells(std::vector{46341, 46341}) == -1);
  CHECK(cells(std::vector<int>(1000, 3)) == -1);
  CHECK(cells(std::vector{std::numeric_limits<int>::max(), 1}) == std::numeric_limits<int>::max());
}

TEST_CASE("ranks lie in row-major order, and shifts follow one dimension") {
  for (const std::vector<int>& dims : kShapes) {
    for (unsigned mask = 0; mask < 1u << dims.size(); ++mask) {
      std::vector<int> wraps;
      for (std::size_t d = 0; d < dims.size(); ++d) wraps.push_back((mask >> d & 1) != 0 ? 7 : 0);
      const CartesianGrid grid(dims, wraps);
      const auto places = all_coordinates(dims);
      REQUIRE(grid.size() == static_cast<int>(places.size()));
      for (int rank = 0; rank < grid.size(); ++rank) {
        const auto& place = places[static_cast<std::size_t>(rank)];
        std::vector<int> found(dims.size());
        grid.coordinates_of(rank, found.data());
        REQUIRE(found == place);
        REQUIRE(grid.rank_at(place.data()) == rank);
        for (std::size_t d = 0; d < dims.size(); ++d) {
          for (int distance = -9; distance <= 9; ++distance) {
            std::vector<int> target = place;
            target[d] += distance;
            const int there = grid.rank_at(target.data());
            REQUIRE(grid.shifted(rank, static_cast<int>(d), distance) == there);
            const bool inside = target[d] >= 0 && target[d] < dims[d];
            if (!inside && wraps[d] == 0) {
              REQUIRE(there == MPI_PROC_NULL);
            } else {
              while (target[d] < 0) target[d] += dims[d];
              target[d] %= dims[d];
              REQUIRE(places[static_cast<std::size_t>(there)] == target);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("shifts by the largest distances do not overflow") {
  const std::vector<int> dims{5, 3}, wraps{1, 0};
  const CartesianGrid grid(dims, wraps);
  constexpr std::int64_t kFar = std::int64_t{1} << 31;
  CHECK(grid.shifted(4, 0, kFar) == grid.shifted(4, 0, kFar % 5));
  CHECK(grid.shifted(4, 0, -kFar) == grid.shifted(4, 0, -(kFar % 5)));
  CHECK(grid.shifted(4, 1, kFar) == MPI_PROC_NULL);
}

TEST_CASE("the parts of a grid hold each rank once, in the order of the dimensions that stay") {
  for (const std::vector<int>& dims : kShapes) {
    const CartesianGrid grid(dims, std::vector<int>(dims.size(), 1));
    const auto places = all_coordinates(dims);
    for (unsigned mask = 0; mask < 1u << dims.size(); ++mask) {
      std::vector<int> kept;
      for (std::size_t d = 0; d < dims.size(); ++d) kept.push_back(static_cast<int>(mask >> d & 1));
      const CartesianGrid part = grid.part(kept);
      std::map<std::pair<int, int>, int> seen;
      for (int rank = 0; rank < grid.size(); ++rank) {
        int place = -1, inside = -1;
        grid.locate_in_part(rank, kept, place, inside);
        CHECK(++seen[{place, inside}] == 1);
        REQUIRE(inside < part.size());
        REQUIRE(place < grid.size() / part.size());
        std::vector<int> stays, there(static_cast<std::size_t>(part.dimensions()));
        for (std::size_t d = 0; d < dims.size(); ++d)
          if (kept[d] != 0) stays.push_back(places[static_cast<std::size_t>(rank)][d]);
        part.coordinates_of(inside, there.data());
        REQUIRE(there == stays);
      }
    }
  }
}

TEST_CASE("a graph is symmetric when each edge has one of its own that leads back") {
  CHECK(Graph{{}, {}}.symmetric());
  CHECK(Graph{{1, 2}, {1, 0}}.symmetric());
  CHECK(Graph{{1, 1}, {0}}.symmetric());
  CHECK_FALSE(Graph{{1, 1}, {1}}.symmetric());
  CHECK_FALSE(Graph{{2, 3}, {1, 1, 0}}.symmetric());
  CHECK(Graph{{2, 4}, {1, 1, 0, 0}}.symmetric());
  const Graph line{{1, 3, 4}, {1, 0, 2, 1}};
  CHECK(std::ranges::equal(line.neighbors(1), std::vector{0, 2}));
  CHECK(std::ranges::equal(line.neighbors(2), std::vector{1}));
}
