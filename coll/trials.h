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

// The calls of one operation and of about one size. The first ones go each way kTurns times, one way after the other because
// a rank may leave a call early and wait in the next. Then the least time of the slowest rank counts: some ranks of a rooted
// operation may leave long before the data have arrived. Every rank counts alike, so that all go the same way at any time.
class Trial {
 public:
  // The first turns of a way do not count: caches are cold, and messages try ways of their own (pml/way.h).
  static constexpr int kWays = 2, kTurns = 12, kUncounted = 5;

  explicit Trial(std::uint64_t key = 0) : key_(key) { least_.fill(std::numeric_limits<double>::infinity()); }

  std::uint64_t key() const { return key_; }
  bool settled() const { return settled_; }
  bool done() const { return calls_ == kWays * kTurns; }  // all that is left is to settle
  int way() const { return settled_ ? faster_ : calls_ / kTurns; }

  void begin() { began_ = now_seconds(); }
  void end() {
    double& least = least_[static_cast<std::size_t>(way())];
    if (calls_ % kTurns >= kUncounted) least = std::min(least, now_seconds() - began_);
    ++calls_;
  }
  const std::array<double, kWays>& least() const { return least_; }
  // `times`: the same at all ranks.
  void settle(const std::array<double, kWays>& times) {
    faster_ = times[1] < times[0] ? 1 : 0;
    settled_ = true;
  }

 private:
  std::uint64_t key_;
  int calls_ = 0, faster_ = 0;
  bool settled_ = false;
  double began_ = 0;
  std::array<double, kWays> least_{};
};

}  // namespace ompi_lite::coll
