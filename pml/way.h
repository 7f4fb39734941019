// SPDX-License-Identifier: BSD-3-Clause
// Which way a large message takes where several are open: read out of the sender's memory by the receiver, copied there by
// both sides at the same time, or sent in frames. Which one is fastest depends on the processor, on its caches and on the
// kernel, by factors of two each way, so it is found out by trying. Only speed hangs on the answer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "ompi_lite/base/count_span.h"

namespace ompi_lite::pml {

enum class Way : std::uint8_t { get, shared, frames };
inline constexpr std::size_t kWays = 3;

// The ways that are open to one message.
struct OpenWays {
  std::array<bool, kWays> open{};
  bool has(Way way) const { return open[static_cast<std::size_t>(way)]; }
  int count() const { return static_cast<int>(std::count(open.begin(), open.end(), true)); }
};

// What this process, as a receiver, has seen of the ways, by powers of two of the size. One per Pml, under its lock.
class WayChoice {
 public:
  // At least one way is open. `learn`: how long it takes will be reported; else the best is taken, as far as known.
  Way way_for(Count bytes, const OpenWays& ways, bool learn = true) {
    Class& seen = class_of(bytes);
    std::size_t best = kWays, least_tried = kWays;
    for (std::size_t i = 0; i < kWays; ++i) {
      if (!ways.open[i]) continue;
      if (best == kWays || seen.ways[i].typical < seen.ways[best].typical) best = i;
      if (least_tried == kWays || seen.ways[i].tries < seen.ways[least_tried].tries) least_tried = i;
    }
    if (seen.ways[least_tried].tries < kTries) return static_cast<Way>(least_tried);
    if (!learn) return static_cast<Way>(best);
    if (best != seen.best) {
      seen.best = best;
      look_again_soon(seen);
    }
    if (--seen.until_look > 0) return static_cast<Way>(best);
    seen.look_every = std::min(2 * seen.look_every, kMostBetweenLooks);
    seen.until_look = seen.look_every;
    do seen.looked_at = (seen.looked_at + 1) % kWays;
    while (!ways.open[seen.looked_at]);
    return static_cast<Way>(seen.looked_at);
  }

  // The second best of the last few counts: whoever disturbs a copy makes it longer, and a single lucky one says little.
  void took(Way way, Count bytes, std::int64_t ns) {
    Class& seen = class_of(bytes);
    const auto index = static_cast<std::size_t>(way);
    History& history = seen.ways[index];
    const float cost = static_cast<float>(ns) / static_cast<float>(bytes);
    history.last[history.tries % kTries] = cost;
    ++history.tries;
    std::array<float, kTries> sorted = history.last;
    std::nth_element(sorted.begin(), sorted.begin() + 1, sorted.end());
    history.typical = sorted[1];
    if (seen.best < kWays && index != seen.best && cost < seen.ways[seen.best].typical) look_again_soon(seen);
  }

 private:
  static constexpr std::size_t kTries = 5;
  static constexpr int kLeastBetweenLooks = 32;  // messages; what the caches hold may change, but seldom does
  static constexpr int kMostBetweenLooks = 1024;
  struct History {
    std::array<float, kTries> last{};  // nanoseconds a byte
    float typical = 0;
    std::size_t tries = 0;
  };
  struct Class {
    std::array<History, kWays> ways;
    std::size_t best = kWays;   // when last asked
    std::size_t looked_at = 0;  // the way last taken to see whether it is better now
    int look_every = kLeastBetweenLooks, until_look = kLeastBetweenLooks;
  };
  static void look_again_soon(Class& seen) { seen.look_every = seen.until_look = kLeastBetweenLooks / 2; }
  Class& class_of(Count bytes) {
    return classes_[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes)))];
  }

  std::array<Class, 64> classes_{};
};

}  // namespace ompi_lite::pml
