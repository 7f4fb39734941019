// SPDX-License-Identifier: BSD-3-Clause
// Which collective a rank is in, in 56 bits: they travel in what the header of each message has room for.
#pragma once

#include <cstdint>

#include "ompi_lite/base/count_span.h"

namespace ompi_lite {

// What must be the same at all ranks that take part (MPI 5.0, section 6.1), as far as a word can hold it. Numbers that do
// not fit are cut, so two signatures may be equal though the calls differ, but never the other way round.
class CallSignature {
 public:
  struct Parts {
    unsigned operation = 0;  // from 0; known to the collectives
    unsigned op = 0;         // the reduction's OpKind + 1; 0: none
    unsigned type = 0;       // the data's Signature::kind(); 0: not looked at, fits any
    int root = 0;
    Count bytes = 0;  // of the data that all have alike
  };

  constexpr CallSignature() = default;  // of a message that nobody checks
  explicit constexpr CallSignature(const Parts& parts)
      : word_((parts.operation + 1u) | std::uint64_t{parts.op & 0xf} << 5 | std::uint64_t{parts.type & 0xff} << 9 |
              (static_cast<std::uint64_t>(parts.root) & kRootMask) << 17 | bytes_field(parts.bytes) << 31) {}
  static constexpr CallSignature from_word(std::uint64_t word) {
    CallSignature made;
    made.word_ = word & ((std::uint64_t{1} << 56) - 1);
    return made;
  }

  constexpr std::uint64_t word() const { return word_; }
  constexpr bool checked() const { return word_ != 0; }
  constexpr Parts parts() const {
    return {static_cast<unsigned>(word_ & 0x1f) - 1, static_cast<unsigned>(word_ >> 5 & 0xf),
            static_cast<unsigned>(word_ >> 9 & 0xff), static_cast<int>(word_ >> 17 & kRootMask),
            static_cast<Count>(word_ >> 32)};
  }
  // False: bytes() is not the whole number.
  constexpr bool bytes_exact() const { return (word_ >> 31 & 1) == 0; }

  constexpr bool fits(CallSignature other) const {
    if (word_ == other.word_ || !checked() || !other.checked()) return true;
    const std::uint64_t difference = word_ ^ other.word_;
    const bool any_type = (word_ & kTypeField) == 0 || (other.word_ & kTypeField) == 0;
    return (difference & ~kTypeField) == 0 && any_type;
  }

  // A hash of a row of calls, this one last; types are left out, since they need not be equal.
  constexpr std::uint8_t mixed_into(std::uint8_t hash) const {
    return static_cast<std::uint8_t>((((word_ & ~kTypeField) ^ hash) * 0x9e3779b97f4a7c15u) >> 56);
  }

 private:
  static constexpr std::uint64_t kRootMask = 0x3fff, kTypeField = std::uint64_t{0xff} << 9;
  // 24 bits and, in front, whether more were cut off; then they are mixed, so that neighbors differ.
  static constexpr std::uint64_t bytes_field(Count bytes) {
    const auto number = static_cast<std::uint64_t>(bytes);
    if (number < 1u << 24) return number << 1;
    return ((number ^ number >> 24 ^ number >> 48) & 0xffffff) << 1 | 1;
  }

  std::uint64_t word_ = 0;
};
static_assert(CallSignature(CallSignature::Parts{21, 15, 255, 0x3fff, 0xffffff}).word() < std::uint64_t{1} << 56);

}  // namespace ompi_lite
