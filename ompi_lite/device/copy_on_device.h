// SPDX-License-Identifier: BSD-3-Clause
// One thread's part of copying many runs of bytes in memory that the device reaches: packs and unpacks derived types. The
// source of the plugin's kernel and, as host code, of its double.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ompi_lite/device/ops.h"

namespace ompi_lite::kernels {

// The arguments of a launch: drivers take 4 KiB.
inline constexpr std::size_t kCopiesInLot = 84;
struct CopyLot {
  std::size_t count;
  OmpiLiteCopy list[kCopiesInLot];
};
static_assert(sizeof(CopyLot) <= 4096);

struct Unit16 {
  std::uint64_t low, high;
};

// The largest unit that divides addresses, sizes and pitches of a copy: a thread moves one at a time. Templates, because the
// compiler for devices takes constant expressions, and these are none but in name.
template <class Copy>
constexpr std::size_t unit_of(const Copy& copy) {
  const std::uintptr_t pitches = copy.rows > 1 ? copy.to_pitch | copy.from_pitch : 0;
  const std::uintptr_t all =
      reinterpret_cast<std::uintptr_t>(copy.to) | reinterpret_cast<std::uintptr_t>(copy.from) | copy.bytes | pitches;
  return all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 1;
}
template <class Copy>
constexpr std::size_t units_of(const Copy& copy) {
  return copy.rows * (copy.bytes / unit_of(copy));
}

template <class Unit, class Copy>
constexpr void copy_part(const Copy& copy, std::uint64_t first, std::uint64_t step) {
  const std::uint64_t in_row = copy.bytes / sizeof(Unit), all = in_row * copy.rows;
  char* to = static_cast<char*>(copy.to);
  const char* from = static_cast<const char*>(copy.from);
  for (std::uint64_t i = first; i < all; i += step) {
    const std::uint64_t row = i / in_row, at = i % in_row * sizeof(Unit);
    *static_cast<Unit*>(static_cast<void*>(to + row * copy.to_pitch + at)) =
        *static_cast<const Unit*>(static_cast<const void*>(from + row * copy.from_pitch + at));
  }
}

// Thread number `first` of `step`.
template <class Copy>
constexpr void copy_on_device(const Copy& copy, std::uint64_t first, std::uint64_t step) {
  switch (unit_of(copy)) {
    case 16:
      return copy_part<Unit16>(copy, first, step);
    case 8:
      return copy_part<std::uint64_t>(copy, first, step);
    case 4:
      return copy_part<std::uint32_t>(copy, first, step);
    default:
      return copy_part<std::uint8_t>(copy, first, step);
  }
}

}  // namespace ompi_lite::kernels
