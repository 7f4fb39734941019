// SPDX-License-Identifier: BSD-3-Clause
// The choice between the ways of a large message.
#include "pml/way.h"

#include <array>
#include <catch2/catch.hpp>

namespace ompi_lite::pml {
namespace {

constexpr OpenWays kAll{{true, true, true}};

// What each way costs, and how many messages took it.
struct Drive {
  WayChoice choice{};
  std::array<std::int64_t, kWays> ns{};
  std::array<int, kWays> taken{};

  void run(Count bytes, int messages, const OpenWays& ways = kAll) {
    taken = {};
    for (int i = 0; i < messages; ++i) {
      const Way way = choice.way_for(bytes, ways);
      ++taken[static_cast<std::size_t>(way)];
      choice.took(way, bytes, ns[static_cast<std::size_t>(way)]);
    }
  }
  int gets() const { return taken[0]; }
  int shared() const { return taken[1]; }
  int frames() const { return taken[2]; }
};

TEST_CASE("all ways are tried, then the fastest one is taken", "[pml]") {
  Drive drive{.choice = {}, .ns = {1000, 2000, 3000}, .taken = {}};
  drive.run(100000, 15);
  CHECK(drive.taken == std::array<int, kWays>{5, 5, 5});
  drive.run(100000, 1000);
  CHECK(drive.gets() > 970);
  for (std::size_t fastest = 0; fastest < kWays; ++fastest) {
    Drive other{.choice = {}, .ns = {3000, 3000, 3000}, .taken = {}};
    other.ns[fastest] = 1000;
    other.run(100000, 1000);
    CHECK(other.taken[fastest] > 960);
  }
}

TEST_CASE("a way that is not open is never taken", "[pml]") {
  Drive drive{.choice = {}, .ns = {2000, 1000, 500}, .taken = {}};
  drive.run(100000, 1000, {{true, true, false}});
  CHECK(drive.frames() == 0);
  CHECK(drive.shared() > 960);
  drive.run(100000, 100, {{true, false, false}});
  CHECK(drive.gets() == 100);
}

TEST_CASE("sizes are judged apart", "[pml]") {
  Drive drive{.choice = {}, .ns = {3000, 4000, 1000}, .taken = {}};
  drive.run(20000, 50);
  drive.ns = {1000, 4000, 3000};
  drive.run(5'000'000'000, 50);
  CHECK(drive.choice.way_for(20000, kAll) == Way::frames);
  CHECK(drive.choice.way_for(5'000'000'000, kAll) == Way::get);
}

TEST_CASE("a slow spell is not kept for ever", "[pml]") {
  Drive drive{.choice = {}, .ns = {1000, 9000, 1000}, .taken = {}};  // sharing was disturbed each time
  drive.run(65536, 15);
  drive.ns[1] = 500;
  drive.run(65536, 2000);  // it is looked at again, and wins
  CHECK(drive.shared() > 1000);
}

TEST_CASE("a way that stays slower is looked at ever more rarely", "[pml]") {
  Drive drive{.choice = {}, .ns = {1000, 5000, 5000}, .taken = {}};
  drive.run(65536, 10000);
  drive.run(65536, 10000);
  CHECK(drive.gets() > 9980);
}

}  // namespace
}  // namespace ompi_lite::pml
