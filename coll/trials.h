// SPDX-License-Identifier: BSD-3-Clause
// Which of two ways is faster for calls of one kind, found out by making the first of them both ways.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "ompi_lite/base/clock.h"

namespace ompi_lite::coll {

// The calls of one operation and of about one size, in blocks that go one way each, by turns. A block and not a call is
// timed, because a rank may leave a call early and wait in the next, or find all done when it comes; and by turns, so that a
// slow spell of the machine meets both ways. A block lasts as long as for the slowest rank; the best block of a way counts.
// All ranks count alike, so that all go the same way at any time.
class Trial {
 public:
  static constexpr int kWays = 2, kBlocks = 3, kCalls = 4;  // blocks a way, calls a block
  // Calls of a way before its first block: caches are cold, and messages try ways of their own (pml/way.h).
  static constexpr int kWarmUp[kWays] = {kCalls, 16};
  using Times = std::array<double, kWays * kBlocks>;  // in the order of the blocks

  // `expected`: taken unless the other way is clearly faster; `certain`: nothing is tried.
  struct Expected {
    int way = 0;
    bool certain = false;
  };
  explicit Trial(std::uint64_t key = 0) : Trial(key, Expected{}) {}
  Trial(std::uint64_t key, Expected expected) : key_(key), settled_(expected.certain), faster_(expected.way) {}

  std::uint64_t key() const { return key_; }
  bool settled() const { return settled_; }
  bool done() const { return calls_ == kAll; }  // all that is left is to settle
  int way() const {
    if (settled_) return faster_;
    if (calls_ < kWarmUp[0]) return 0;
    return calls_ < kUncounted ? 1 : block() % kWays;
  }

  void begin() { began_ = now_seconds(); }
  void end() {
    if (calls_ >= kUncounted) times_[static_cast<std::size_t>(block())] += (now_seconds() - began_) / kCalls;
    ++calls_;
  }
  const Times& times() const { return times_; }
  static double least(const Times& times, int way) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = static_cast<std::size_t>(way); i < times.size(); i += kWays) least = std::min(least, times[i]);
    return least;
  }
  // `times`: of each block that of the slowest rank.
  void settle(const Times& times) {
    constexpr double kClearly = 0.95;
    const int other = 1 - faster_;
    if (least(times, other) < kClearly * least(times, faster_)) faster_ = other;
    settled_ = true;
  }

 private:
  static constexpr int kUncounted = kWarmUp[0] + kWarmUp[1], kAll = kUncounted + kWays * kBlocks * kCalls;
  int block() const { return (calls_ - kUncounted) / kCalls; }

  std::uint64_t key_;
  int calls_ = 0;
  bool settled_;
  int faster_;
  double began_ = 0;
  Times times_{};
};

}  // namespace ompi_lite::coll
