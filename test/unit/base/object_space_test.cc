// SPDX-License-Identifier: BSD-3-Clause
#include "ompi_lite/base/object_space.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <vector>

#include "ompi_lite/base/pool.h"
#include "ompi_lite/core/object.h"

using namespace ompi_lite;

namespace {

std::uintptr_t number(const void* place) { return reinterpret_cast<std::uintptr_t>(place); }

struct Thing : Object {
  Thing() : Object(ObjectKind::info) {}
  char more[100] = {};
};

}  // namespace

TEST_CASE("places of the object space are apart, aligned and covered") {
  std::set<std::uintptr_t> starts;
  std::vector<void*> places;
  for (std::size_t bytes : {1U, 24U, 64U, 65U, 4000U, 70000U, 300000U}) {
    for (int i = 0; i < 50; ++i) {
      void* place = ObjectSpace::take(bytes);
      std::memset(place, 0x77, bytes);
      CHECK(number(place) % 64 == 0);
      CHECK(ObjectSpace::covers(number(place)));
      CHECK(starts.insert(number(place)).second);
      places.push_back(place);
    }
  }
  for (std::size_t i = 0; i < 50; ++i) ObjectSpace::give_back(places[i], 1);
  CHECK(ObjectSpace::covers(number(places[0])));
}

TEST_CASE("what lies elsewhere is not covered by the object space") {
  ObjectSpace::give_back(ObjectSpace::take(64), 64);
  int local = 0;
  CHECK_FALSE(ObjectSpace::covers(0));
  CHECK_FALSE(ObjectSpace::covers(0x44000000));
  CHECK_FALSE(ObjectSpace::covers(number(&local)));
  CHECK_FALSE(ObjectSpace::covers(UINTPTR_MAX));
}

TEST_CASE("a freed object says so until its place is used again, which is as late as possible") {
  auto* first = new Thing;
  auto* second = new Thing;
  const auto* old = reinterpret_cast<const volatile std::uint32_t*>(&first->magic);
  CHECK(*old == kLiveMagic);
  delete first;
  delete second;
  CHECK(*old == kFreedMagic);
}

TEST_CASE("pools of objects live in the object space") {
  Pool<Thing, 4> pool;
  std::vector<Thing*> out;
  for (int i = 0; i < 9; ++i) out.push_back(pool.take());
  for (Thing* thing : out) {
    CHECK(ObjectSpace::covers(number(thing)));
    pool.give_back(thing);
  }
  CHECK(pool.taken() == 0);
}
