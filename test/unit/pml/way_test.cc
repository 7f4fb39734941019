// SPDX-License-Identifier: BSD-3-Clause
// The choice between reading the sender's memory and frames.
#include <catch2/catch.hpp>

#include "pml/way.h"

namespace ompi_lite::pml {
namespace {

// Drives the choice with fixed costs; returns how many of `messages` took the way of get.
int gets_among(WayChoice& choice, Count bytes, std::int64_t ns_get, std::int64_t ns_frames, int messages) {
  int gets = 0;
  for (int i = 0; i < messages; ++i) {
    const Way way = choice.way_for(bytes);
    gets += way == Way::get ? 1 : 0;
    choice.took(way, bytes, way == Way::get ? ns_get : ns_frames);
  }
  return gets;
}

TEST_CASE("both ways are tried, then the faster one is taken", "[pml]") {
  WayChoice choice;
  CHECK(gets_among(choice, 100000, 1000, 2000, 6) == 3);
  CHECK(gets_among(choice, 100000, 1000, 2000, 1000) > 980);
  WayChoice other;
  gets_among(other, 100000, 2000, 1000, 6);
  CHECK(gets_among(other, 100000, 2000, 1000, 1000) < 20);
}

TEST_CASE("sizes are judged apart", "[pml]") {
  WayChoice choice;
  gets_among(choice, 20000, 3000, 1000, 50);
  gets_among(choice, 5'000'000'000, 1000, 3000, 50);
  CHECK(choice.way_for(20000) == Way::frames);
  CHECK(choice.way_for(5'000'000'000) == Way::get);
}

TEST_CASE("a slow spell is not kept for ever", "[pml]") {
  WayChoice choice;
  gets_among(choice, 65536, 9000, 1000, 6);               // get was disturbed each time
  CHECK(gets_among(choice, 65536, 500, 1000, 2000) > 1000);  // it is looked at again, and wins
}

}  // namespace
}  // namespace ompi_lite::pml
