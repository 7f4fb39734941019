// SPDX-License-Identifier: BSD-3-Clause
// Which way a large message takes where both are open: read out of the sender's memory, or sent in frames that both sides copy at
// the same time. Which one is faster depends on the processor, on its caches and on the kernel, by factors of two either way, so
// it is found out by trying. Only speed hangs on the answer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
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
    if (seen.tries[0] < kTries || seen.tries[1] < kTries) return seen.tries[0] <= seen.tries[1] ? Way::get : Way::frames;
    const Way better = seen.ns_per_kb[0] <= seen.ns_per_kb[1] ? Way::get : Way::frames;
    const bool look_again = seen.asked % kLookAgain == 0;  // what the caches hold may have changed
    return !look_again ? better : better == Way::get ? Way::frames : Way::get;
  }

  // The best time counts: whoever disturbs a copy can only make it longer. It ages, so that a slow spell is not kept for ever.
  void took(Way way, Count bytes, std::int64_t ns) {
    Class& seen = class_of(bytes);
    const std::size_t i = way == Way::get ? 0 : 1;
    const double now = static_cast<double>(ns) * 1024 / static_cast<double>(bytes);
    seen.ns_per_kb[i] = seen.tries[i] == 0 ? now : std::min(now, seen.ns_per_kb[i] * 1.02);
    seen.tries[i] = std::min(seen.tries[i] + 1, kTries);
  }

 private:
  static constexpr int kTries = 3;
  static constexpr std::uint32_t kLookAgain = 128;
  struct Class {
    double ns_per_kb[2] = {};
    int tries[2] = {};
    std::uint32_t asked = 0;
  };
  Class& class_of(Count bytes) { return classes_[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes)))]; }

  std::array<Class, 64> classes_{};
};

}  // namespace ompi_lite::pml
