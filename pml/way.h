// SPDX-License-Identifier: BSD-3-Clause
// Which way a large message takes where both are open: read out of the sender's memory, or sent in frames that both sides
// copy at the same time. Which one is faster depends on the processor, on its caches and on the kernel, by factors of two
// either way, so it is found out by trying. Only speed hangs on the answer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "ompi_lite/base/count_span.h"

namespace ompi_lite::pml {

enum class Way { get, frames };

// What this process, as a receiver, has seen of both ways, by powers of two of the size. One per Pml, under its lock.
class WayChoice {
 public:
  Way way_for(Count bytes) {
    Class& seen = class_of(bytes);
    ++seen.asked;
    const History &get = seen.ways[0], &frames = seen.ways[1];
    if (get.tries < kTries || frames.tries < kTries) return get.tries <= frames.tries ? Way::get : Way::frames;
    const Way better = get.typical <= frames.typical ? Way::get : Way::frames;
    const bool look_again = seen.asked % kLookAgain == 0;  // what the caches hold may have changed
    return !look_again ? better : better == Way::get ? Way::frames : Way::get;
  }

  // The second best of the last few counts: whoever disturbs a copy makes it longer, and a single lucky one says little.
  void took(Way way, Count bytes, std::int64_t ns) {
    History& history = class_of(bytes).ways[way == Way::get ? 0 : 1];
    history.last[history.tries % kTries] = static_cast<float>(ns) / static_cast<float>(bytes);
    ++history.tries;
    std::array<float, kTries> sorted = history.last;
    std::nth_element(sorted.begin(), sorted.begin() + 1, sorted.end());
    history.typical = sorted[1];
  }

 private:
  static constexpr std::size_t kTries = 5;
  static constexpr std::uint32_t kLookAgain = 64;
  struct History {
    std::array<float, kTries> last{};  // nanoseconds a byte
    float typical = 0;
    std::size_t tries = 0;
  };
  struct Class {
    std::array<History, 2> ways;  // get, frames
    std::uint32_t asked = 0;
  };
  Class& class_of(Count bytes) {
    return classes_[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes)))];
  }

  std::array<Class, 64> classes_{};
};

}  // namespace ompi_lite::pml
