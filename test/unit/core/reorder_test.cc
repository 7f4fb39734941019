// SPDX-License-Identifier: BSD-3-Clause
// Orders of ranks on machines that this one is not.
#include "ompi_lite/core/reorder.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "ompi_lite/core/grid.h"

namespace ompi_lite {
namespace {

std::vector<Link> links_of(const std::vector<int>& extents) {
  const std::vector<int> wraps(extents.size(), 0);
  const CartesianGrid grid(extents, wraps);
  std::vector<Link> links;
  for (int rank = 0; rank < grid.size(); ++rank)
    for (int d = 0; d < grid.dimensions(); ++d)
      if (const int next = grid.shifted(rank, d, 1); next != MPI_PROC_NULL) links.push_back({rank, next, 1});
  return links;
}

// `nodes` with `packages` each of `cores`: ranks go round the nodes, as a launcher with --map-by node lays them out.
std::vector<Place> cyclic(int nodes, int packages, int cores) {
  std::vector<Place> places;
  for (int i = 0; i < nodes * packages * cores; ++i) {
    const int inside = i / nodes;
    places.push_back({i % nodes, inside / cores, inside % cores});
  }
  return places;
}

bool is_permutation_of_all(std::vector<int> order) {
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] != static_cast<int>(i)) return false;
  return true;
}

std::int64_t cost(const std::vector<Link>& links, const std::vector<Place>& places, const std::vector<int>& order) {
  return total_distance(links, places, order);
}

std::vector<int> identity(std::size_t size) {
  std::vector<int> order(size);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

TEST_CASE("distance grows with the level at which two places part", "[reorder]") {
  CHECK(distance({0, 0, 0}, {0, 0, 0}) == 0);
  CHECK(distance({0, 0, 0}, {0, 0, 1}) == 1);
  CHECK(distance({0, 0, 0}, {0, 1, 0}) == 4);
  CHECK(distance({0, 0, 0}, {1, 0, 0}) == 16);
  CHECK(distance({0, -1, -1}, {0, 1, 0}) == 0);  // not bound: it may be anywhere on the node
  CHECK(distance({1, -1, -1}, {0, 1, 0}) == 16);
}

TEST_CASE("a line of ranks that were dealt round two nodes is cut once", "[reorder]") {
  const std::vector<Link> links = links_of({8});
  const std::vector<Place> places = cyclic(2, 1, 4);
  CHECK(cost(links, places, identity(8)) == 7 * 16);
  const std::vector<int> order = reorder(links, places);
  CHECK(is_permutation_of_all(order));
  CHECK(cost(links, places, order) == 16 + 6);  // one link between the nodes, three and three within
}

TEST_CASE("a grid is laid out in blocks", "[reorder]") {
  const std::vector<Link> links = links_of({8, 8});
  const std::vector<Place> places = cyclic(4, 2, 8);
  const std::vector<int> order = reorder(links, places);
  CHECK(is_permutation_of_all(order));
  const std::int64_t before = cost(links, places, identity(64)), after = cost(links, places, order);
  CHECK(after * 3 < before * 2);
  // Four blocks of 4 x 4 cut 16 links; the heuristic may miss that by half as many again.
  std::int64_t between = 0;
  for (const Link& link : links)
    between += places[static_cast<std::size_t>(order[static_cast<std::size_t>(link.a)])][0] !=
               places[static_cast<std::size_t>(order[static_cast<std::size_t>(link.b)])][0];
  CHECK(between <= 24);
}

TEST_CASE("an order that is good already stays, and so does one of which nothing is known", "[reorder]") {
  const std::vector<Link> links = links_of({8});
  const std::vector<Place> blocks = {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}, {1, 2}, {1, 3}};
  CHECK(reorder(links, blocks) == identity(8));
  CHECK(reorder(links, std::vector<Place>(8, Place{0, -1})) == identity(8));
  CHECK(reorder({}, blocks) == identity(8));
}

TEST_CASE("heavy links of a random graph come together, whatever the nodes' sizes", "[reorder]") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const int size = 2 + static_cast<int>(random() % 60);
    std::vector<Place> places;
    for (int i = 0; i < size; ++i) {
      const bool bound = random() % 8 != 0;
      places.push_back({static_cast<int>(random() % 5), bound ? static_cast<int>(random() % 2) : -1,
                        bound ? static_cast<int>(random() % 4) : -1});
    }
    std::vector<Link> links;
    for (int i = 0; i < 3 * size; ++i)
      links.push_back({static_cast<int>(random() % static_cast<unsigned>(size)),
                       static_cast<int>(random() % static_cast<unsigned>(size)), static_cast<std::int64_t>(random() % 100)});
    const std::vector<int> order = reorder(links, places);
    CHECK(is_permutation_of_all(order));
    CHECK(cost(links, places, order) <= cost(links, places, identity(static_cast<std::size_t>(size))));
    CHECK(order == reorder(links, places));
  }
}

}  // namespace ompi_lite
