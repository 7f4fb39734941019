// SPDX-License-Identifier: BSD-3-Clause
// Ranks over hosts, and the tree of hosts.
#include "launcher/mapping.h"

#include <catch2/catch.hpp>
#include <string>

#include "launcher/tree_shape.h"

namespace ompi_lite::launcher {
namespace {

// The host of each rank as letters: "aabb".
std::string map(std::vector<Host> hosts, int ranks, const Options& options = {}) {
  std::vector<int> host_of_rank;
  if (const MaybeFailure failure = map_ranks(hosts, options, ranks, host_of_rank)) return failure->text;
  std::string text;
  for (const int host : host_of_rank) text += static_cast<char>('a' + host);
  return text;
}

Options by_node() {
  Options options;
  options.host_map = HostMap::node;
  return options;
}

TEST_CASE("slots are filled host by host, round after round, with consecutive ranks on each", "[launcher]") {
  CHECK(map({{"a", 2, 0}, {"b", 3, 0}}, 0) == "aabbb");
  CHECK(map({{"a", 2, 0}, {"b", 3, 0}}, 3) == "aab");
  CHECK(map({{"a", 2, 0}, {"b", 2, 0}}, 7) == "aaaabbb");
  CHECK(map({{"a", 0, 0}, {"b", 0, 0}}, 2) == "ab");
  CHECK(map({{"a", 0, 0}, {"b", 0, 0}}, 4) == "aabb");
  CHECK(map({{"a", 4, 0}}, 6) == "aaaaaa");
}

TEST_CASE("by node the hosts take turns, and full ones are passed over while others have slots", "[launcher]") {
  CHECK(map({{"a", 100, 0}, {"b", 100, 0}}, 2, by_node()) == "ab");
  CHECK(map({{"a", 1, 0}, {"b", 3, 0}}, 4, by_node()) == "abbb");
  CHECK(map({{"a", 1, 0}, {"b", 1, 0}}, 5, by_node()) == "ababa");
  Options consecutive = by_node();
  consecutive.rank_by = RankBy::slot;
  CHECK(map({{"a", 3, 0}, {"b", 3, 0}}, 5, consecutive) == "aaabb");
}

TEST_CASE("ranking by node changes the numbers and not the places", "[launcher]") {
  Options options;
  options.rank_by = RankBy::node;
  CHECK(map({{"a", 3, 0}, {"b", 2, 0}}, 5, options) == "ababa");
}

TEST_CASE("a number of ranks for each host is kept or refused", "[launcher]") {
  Options fixed;
  fixed.host_map = HostMap::fixed;
  fixed.ranks_on_node = 2;
  CHECK(map({{"a", 8, 0}, {"b", 8, 0}}, 0, fixed) == "aabb");
  CHECK(map({{"a", 8, 0}, {"b", 8, 0}}, 3, fixed) == "aab");
  CHECK(map({{"a", 8, 0}, {"b", 8, 0}}, 5, fixed) == "--map-by ppr:2:node gives 4 ranks on 2 hosts, but 5 are asked for");
  Options ppn;
  ppn.ranks_per_host = 1;
  CHECK(map({{"a", 8, 0}, {"b", 8, 0}}, 2, ppn) == "ab");
}

TEST_CASE("max_slots is never passed", "[launcher]") {
  CHECK(map({{"a", 2, 2}, {"b", 1, 0}}, 6) == "aabbbb");
  CHECK(map({{"a", 2, 2}, {"b", 2, 3}}, 6) == "the host file allows at most 5 ranks (max_slots), but 6 are asked for");
  CHECK(map({{"a", 1, 2}, {"b", 1, 3}}, 5) == "aabbb");
}

TEST_CASE("every host has one way up and is found on one way down", "[launcher]") {
  for (const int fan_out : {1, 2, 3, 32}) {
    for (int hosts = 1; hosts <= 40; ++hosts) {
      const TreeShape shape{hosts, fan_out};
      int found = 0;
      for (int host = 0; host < hosts; ++host) {
        for (const int child : shape.below(host)) {
          CHECK(shape.above(child) == host);
          CHECK(shape.towards(host, child) == child);
          ++found;
        }
        CHECK(shape.towards(host, 0) == -1);
      }
      CHECK(found == hosts - 1);
      for (int to = 1; to < hosts; ++to) {
        int at = 0;
        for (int step = 0; at != to && step < hosts; ++step) at = shape.towards(at, to);
        CHECK(at == to);
      }
    }
  }
}

}  // namespace
}  // namespace ompi_lite::launcher
