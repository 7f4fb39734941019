// SPDX-License-Identifier: BSD-3-Clause
// How the two ends of one large message divide the work of copying it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "ompi_lite/base/count_span.h"

namespace ompi_lite::pml {

// The message is cut into parts of equal size. The receiver copies from the front, the sender from the back; whoever is done
// with a part takes the next one, until they meet. If one of them has something else to do, the other copies more. Who took
// how many stands in a word that both see:
//
//   | generation, 32 bits | parts from the front, 16 | parts from the back, 16 |
//
// Only the receiver begins a new generation, after all parts of the last one are taken. A sender that asks too late sees
// another generation and takes nothing. One object on each side, for one message; the word belongs to the transport.
class Sharing {
 public:
  Sharing(std::atomic<std::uint64_t>& word, std::uint32_t generation, Count bytes)
      : word_(word), generation_(generation), bytes_(bytes), part_bytes_(part_for(bytes)) {}

  // The receiver's side of a new message.
  static Sharing begin(std::atomic<std::uint64_t>& word, Count bytes) {
    const auto generation = static_cast<std::uint32_t>(word.load() >> 32) + 1;
    word.store(std::uint64_t{generation} << 32);
    return {word, generation, bytes};
  }

  struct Part {
    Count offset = 0, bytes = 0;  // no bytes: nothing is left
  };
  Part take_front() { return part(take(kFront)); }
  Part take_back() { return part(take(kBack)); }

  // For the receiver: nobody takes any part from now on.
  void close() {
    while (take(kFront) >= 0) continue;
  }
  // For the receiver, when nothing is left: did the sender take any?
  bool sender_took_part() const { return (word_.load() & 0xffff) != 0; }

  std::uint32_t generation() const { return generation_; }

 private:
  static constexpr std::uint64_t kFront = 1 << 16, kBack = 1;
  static constexpr Count kPage = 4096, kLeastPart = 2 * kPage, kMostPart = 256 << 10, kMostParts = 0xfff0;

  // Few parts, since each costs a call; but several, so that the slower side does not keep the other waiting for long.
  static Count part_for(Count bytes) {
    const Count wished = std::clamp(bytes / (bytes < (256 << 10) ? 2 : 4), kLeastPart, kMostPart);
    return (std::max(wished, bytes / kMostParts) + kPage - 1) / kPage * kPage;
  }

  // The number of the part, counted from the back for the sender: -1 if none is left.
  Count take(std::uint64_t side) {
    const Count parts = (bytes_ + part_bytes_ - 1) / part_bytes_;
    std::uint64_t now = word_.load();
    for (;;) {
      const auto front = static_cast<Count>(now >> 16 & 0xffff), back = static_cast<Count>(now & 0xffff);
      if (now >> 32 != generation_ || front + back >= parts) return -1;
      if (word_.compare_exchange_weak(now, now + side)) return side == kFront ? front : parts - 1 - back;
    }
  }

  Part part(Count number) const {
    if (number < 0) return {};
    return {number * part_bytes_, std::min(part_bytes_, bytes_ - number * part_bytes_)};
  }

  std::atomic<std::uint64_t>& word_;
  std::uint32_t generation_;
  Count bytes_, part_bytes_;
};

}  // namespace ompi_lite::pml
