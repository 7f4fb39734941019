// SPDX-License-Identifier: BSD-3-Clause
// The exchange between neighbors on symbolic data: each block in its place, no deadlock without buffering, for grids of all
// kinds and graphs with many edges between the same two ranks.
#include "coll/algorithms/neighbor.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "coll/simulate.h"

using namespace ompi_lite;
using namespace ompi_lite::coll;

namespace {

constexpr Count kBlock = 3;  // cells

Count cells_of(const std::vector<int>& blocks) { return kBlock * static_cast<Count>(blocks.size()); }

// "" or what went wrong. Block b of rank r holds the elements kBlock * b and on of rank r.
std::string play(const std::vector<Neighborhood>& all, std::vector<SimulatedRank>& ranks) {
  const int p = static_cast<int>(all.size());
  ranks.assign(all.size(), {});
  for (int r = 0; r < p; ++r) {
    const Neighborhood& around = all[static_cast<std::size_t>(r)];
    SimulatedRank& rank = ranks[static_cast<std::size_t>(r)];
    for (Count i = 0; i < cells_of(around.destinations); ++i) rank.send.push_back(Cell::of(r, 64, i));
    rank.receive.resize(static_cast<std::size_t>(cells_of(around.sources)));
    Recorder recorder(r, p);
    NeighborLinear::run(recorder, {around.steps, Blocks(Slot::send, kBlock, kBlock), Blocks(Slot::receive, kBlock, kBlock)});
    rank.steps = recorder.steps();
  }
  return simulate(ranks);
}

// Where block `from` of `source` should be: "" or what is there instead.
std::string check_block(const SimulatedRank& rank, int block, int source, int from) {
  for (Count i = 0; i < kBlock; ++i) {
    const Cell expected = source == MPI_PROC_NULL ? Cell{} : Cell::of(source, 64, kBlock * from + i);
    const Cell& found = rank.receive[static_cast<std::size_t>(kBlock * block + i)];
    if (found == expected) continue;
    return "block " + std::to_string(block) + " should be block " + std::to_string(from) + " of rank " +
           std::to_string(source) + ", but is element " + std::to_string(found.element) + " of " +
           std::to_string(found.first);
  }
  return {};
}

std::string check_grid(const std::vector<int>& dims, const std::vector<int>& wraps) {
  const CartesianGrid grid(dims, wraps);
  std::vector<Neighborhood> all;
  for (int r = 0; r < grid.size(); ++r) all.push_back(topology_of(grid, r).neighborhood);
  std::vector<SimulatedRank> ranks;
  std::string error = play(all, ranks);
  for (int r = 0; r < grid.size() && error.empty(); ++r) {
    for (int b = 0; b < 2 * grid.dimensions() && error.empty(); ++b) {
      const int source = grid.shifted(r, b / 2, b % 2 == 0 ? -1 : 1);
      error = check_block(ranks[static_cast<std::size_t>(r)], b, source, b ^ 1);
      if (!error.empty()) error = "rank " + std::to_string(r) + ": " + error;
    }
  }
  return error;
}

// A graph given by all its edges in order; the sources of each rank are shuffled, but for the order of those of the same
// rank.
std::string check_graph(int p, const std::vector<std::pair<int, int>>& edges, std::mt19937& random) {
  std::vector<std::vector<int>> in(static_cast<std::size_t>(p)), out(static_cast<std::size_t>(p));
  for (auto [from, to] : edges) {
    out[static_cast<std::size_t>(from)].push_back(to);
    in[static_cast<std::size_t>(to)].push_back(from);
  }
  std::vector<Neighborhood> all;
  for (int r = 0; r < p; ++r) {
    std::ranges::shuffle(in[static_cast<std::size_t>(r)], random);
    all.push_back(
        make_neighborhood(r, p, in[static_cast<std::size_t>(r)], out[static_cast<std::size_t>(r)], Arrival::in_order));
  }
  std::vector<SimulatedRank> ranks;
  std::string error = play(all, ranks);
  for (int r = 0; r < p && error.empty(); ++r) {
    std::map<int, int> turn;  // how many blocks of a source came before
    for (int b = 0; b < static_cast<int>(in[static_cast<std::size_t>(r)].size()) && error.empty(); ++b) {
      const int source = in[static_cast<std::size_t>(r)][static_cast<std::size_t>(b)];
      const std::vector<int>& theirs = out[static_cast<std::size_t>(source)];
      int from = -1;
      for (int k = turn[source]++; k >= 0; --k)
        while (theirs[static_cast<std::size_t>(++from)] != r) continue;
      error = check_block(ranks[static_cast<std::size_t>(r)], b, source, from);
    }
  }
  return error;
}

}  // namespace

TEST_CASE("in every grid, block s of a rank arrives as block s xor 1 of its neighbor") {
  const std::vector<std::vector<int>> shapes = {
      {},     {1},    {2},    {3},       {4},       {64},         {1, 1},       {1, 2},         {2, 1},
      {2, 2}, {2, 3}, {8, 8}, {1, 2, 3}, {4, 4, 4}, {2, 2, 2, 2}, {1, 1, 1, 1}, {2, 1, 2, 1, 2}};
  for (const std::vector<int>& dims : shapes) {
    for (unsigned mask = 0; mask < 1u << dims.size(); ++mask) {
      std::vector<int> wraps;
      for (std::size_t d = 0; d < dims.size(); ++d) wraps.push_back(static_cast<int>(mask >> d & 1));
      INFO("dimensions " << dims.size() << ", ranks " << cells(dims) << ", periods " << mask);
      REQUIRE(check_grid(dims, wraps) == "");
    }
  }
}

TEST_CASE("a grid with more neighbors than a round holds does not deadlock") {
  CHECK(check_grid(std::vector<int>(20, 1), std::vector<int>(20, 1)) == "");
  std::vector<int> dims(22, 1);
  for (int at : {0, 5, 11, 17, 21}) dims[static_cast<std::size_t>(at)] = 2;
  CHECK(check_grid(dims, std::vector<int>(22, 1)) == "");
}

TEST_CASE("in every graph, the k-th block for a rank is the k-th that it receives") {
  std::mt19937 random(20);
  for (int p = 1; p <= 24; ++p) {
    for (int degree : {0, 1, 3, 17, 40, 90}) {
      std::vector<std::pair<int, int>> edges;
      for (int i = 0; i < p * degree; ++i)
        edges.emplace_back(static_cast<int>(random() % static_cast<unsigned>(p)),
                           static_cast<int>(random() % static_cast<unsigned>(p)));
      INFO("ranks " << p << ", edges " << edges.size());
      REQUIRE(check_graph(p, edges, random) == "");
    }
  }
}

TEST_CASE("a graph of one busy pair and a star that all ranks know do not deadlock") {
  std::mt19937 random(3);
  std::vector<std::pair<int, int>> pair, star, ring;
  for (int i = 0; i < 100; ++i) pair.emplace_back(i % 3 == 0 ? 1 : 0, i % 3 == 0 ? 0 : 1);
  for (int i = 1; i < 64; ++i) star.insert(star.end(), {{0, i}, {i, 0}});
  for (int i = 0; i < 7 * 50; ++i) ring.emplace_back(i % 7, (i % 7 + 2) % 7);
  CHECK(check_graph(2, pair, random) == "");
  CHECK(check_graph(64, star, random) == "");
  CHECK(check_graph(7, ring, random) == "");
}
