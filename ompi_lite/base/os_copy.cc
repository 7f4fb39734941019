// SPDX-License-Identifier: BSD-3-Clause
// The copy kernels, one per register width. The compiler may not recognise the loops and call the C library instead: the
// empty asm keeps it from that.
#include <cstring>

#include "ompi_lite/base/os.h"

namespace ompi_lite::os {

namespace {

// Unaligned ends first and last, whole lines between; the destination is aligned, the source as it comes.
template <class Vector>
[[gnu::always_inline]] inline void copy_lines(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kWidth = sizeof(Vector);
  constexpr std::size_t kStep = kWidth < 32 ? 64 : 128;
  constexpr int kParts = static_cast<int>(kStep / kWidth);
  std::size_t head = 64 - (reinterpret_cast<std::uintptr_t>(to) & 63);
  std::memcpy(to, from, 64);
  std::size_t at = head;
  for (; at + kStep <= bytes; at += kStep) {
    Vector part[kParts];
    for (int i = 0; i < kParts; ++i) std::memcpy(&part[i], from + at + static_cast<std::size_t>(i) * kWidth, kWidth);
    auto* line = reinterpret_cast<Vector*>(__builtin_assume_aligned(to + at, 64));
    for (int i = 0; i < kParts; ++i) line[i] = part[i];
    asm volatile("" ::: "memory");
  }
  for (; at + 64 <= bytes; at += 64) std::memcpy(to + at, from + at, 64);
  if (at < bytes) std::memcpy(to + bytes - 64, from + bytes - 64, 64);
}

using Vector16 [[gnu::vector_size(16), gnu::may_alias]] = char;
using Vector32 [[gnu::vector_size(32), gnu::may_alias]] = char;
using Vector64 [[gnu::vector_size(64), gnu::may_alias]] = char;

}  // namespace

CopyKernel copy_kernel_128() {
  return [](void* to, const void* from, std::size_t bytes) {
    copy_lines<Vector16>(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
  };
}

#if defined(__x86_64__)

namespace {

[[gnu::target("avx2")]] void copy_256(void* to, const void* from, std::size_t bytes) {
  copy_lines<Vector32>(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
}

[[gnu::target("avx512f")]] void copy_512(void* to, const void* from, std::size_t bytes) {
  copy_lines<Vector64>(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
}

}  // namespace

CopyKernel copy_kernel_256() { return __builtin_cpu_supports("avx2") ? copy_256 : nullptr; }
CopyKernel copy_kernel_512() { return __builtin_cpu_supports("avx512f") ? copy_512 : nullptr; }

#else

CopyKernel copy_kernel_256() { return nullptr; }
CopyKernel copy_kernel_512() { return nullptr; }

#endif

}  // namespace ompi_lite::os
