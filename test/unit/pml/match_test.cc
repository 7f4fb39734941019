// SPDX-License-Identifier: BSD-3-Clause
// The match lists against a plain list searched from the front.
#include "pml/match.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <random>
#include <vector>

namespace ompi_lite::pml {
namespace {

bool fits(const MatchEntry& receive, const MatchEntry& message) {
  return (receive.source == message.source || receive.source == MPI_ANY_SOURCE) &&
         (receive.tag == message.tag || receive.tag == MPI_ANY_TAG);
}

// Entries of a random kind; few sources and tags, so that most things meet.
struct Stock {
  std::mt19937 random;
  std::vector<std::unique_ptr<MatchEntry>> entries;
  explicit Stock(unsigned seed) : random(seed) {}
  int below(int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }
  MatchEntry& make(bool wildcards, int sources, int tags) {
    entries.push_back(std::make_unique<MatchEntry>());
    MatchEntry& entry = *entries.back();
    entry.source = wildcards && below(5) == 0 ? MPI_ANY_SOURCE : below(sources);
    entry.tag = wildcards && below(5) == 0 ? MPI_ANY_TAG : below(tags);
    return entry;
  }
};

}  // namespace

TEST_CASE("a message takes the oldest posted receive that fits, in short and long lists") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Stock stock(seed);
    PostedList list;
    std::vector<MatchEntry*> model;
    const int longest = seed % 2 == 0 ? 10 : 300;
    for (int step = 0; step < 4000; ++step) {
      if (static_cast<int>(model.size()) < longest && stock.below(2) == 0) {
        MatchEntry& receive = stock.make(true, 4, 6);
        list.add(receive);
        model.push_back(&receive);
      } else if (!model.empty() && stock.below(8) == 0) {  // cancel
        const auto at = model.begin() + stock.below(static_cast<int>(model.size()));
        list.remove(**at);
        model.erase(at);
      } else {
        const MatchEntry& message = stock.make(false, 4, 6);
        auto expected = model.begin();
        while (expected != model.end() && !fits(**expected, message)) ++expected;
        MatchEntry* found = list.take(message.source, message.tag);
        REQUIRE(found == (expected == model.end() ? nullptr : *expected));
        if (expected != model.end()) model.erase(expected);
      }
      REQUIRE(list.size() == model.size());
      REQUIRE(list.empty() == model.empty());
    }
  }
}

TEST_CASE("a receive finds the oldest unexpected message that fits, in short and long lists") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Stock stock(seed);
    UnexpectedList list;
    std::vector<MatchEntry*> model;
    const int longest = seed % 2 == 0 ? 10 : 300;
    for (int step = 0; step < 4000; ++step) {
      if (static_cast<int>(model.size()) < longest && stock.below(2) == 0) {
        MatchEntry& message = stock.make(false, 4, 6);
        list.add(message);
        model.push_back(&message);
      } else {
        const MatchEntry& receive = stock.make(true, 4, 6);
        auto expected = model.begin();
        while (expected != model.end() && !fits(receive, **expected)) ++expected;
        MatchEntry* found = list.find(receive.source, receive.tag);
        REQUIRE(found == (expected == model.end() ? nullptr : *expected));
        if (found != nullptr && stock.below(4) != 0) {  // else a probe: it stays
          list.remove(*found);
          model.erase(expected);
        }
      }
      REQUIRE(list.size() == model.size());
    }
  }
}

TEST_CASE("a hundred thousand messages leave in reverse tag order without a search of the whole list") {
  constexpr int kMessages = 100000;
  UnexpectedList list;
  std::vector<MatchEntry> messages(kMessages);
  const auto start = std::chrono::steady_clock::now();
  for (int tag = 0; tag < kMessages; ++tag) {
    messages[static_cast<std::size_t>(tag)].tag = tag;
    list.add(messages[static_cast<std::size_t>(tag)]);
  }
  for (int tag = kMessages - 1; tag >= 0; --tag) {
    MatchEntry* found = list.find(tag % 2 == 0 ? 0 : MPI_ANY_SOURCE, tag);
    REQUIRE(found == &messages[static_cast<std::size_t>(tag)]);
    list.remove(*found);
  }
  REQUIRE(list.empty());
  // A linear search would take 5 * 10^9 steps, which is tens of seconds.
  REQUIRE(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

}  // namespace ompi_lite::pml
