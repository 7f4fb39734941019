// SPDX-License-Identifier: BSD-3-Clause
// The memory that the objects behind handles live in: one range of addresses, so that a stray value is told from a handle by
// one comparison, and what looks like a handle can be read without a fault.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ompi_lite {

// One per address space; any thread may take and give back. Memory that was given back stays readable for ever and is used
// again as late as possible, so that a handle which was freed is recognized. Throws std::bad_alloc as operator new does.
class ObjectSpace {
 public:
  static void* take(std::size_t bytes);
  static void give_back(void* place, std::size_t bytes) noexcept;

  // All places that were ever taken, free ones too. Objects begin at multiples of 64 bytes.
  static std::span<const std::byte> used();

  // A header of 64 bytes at this address can be read.
  static bool covers(std::uintptr_t address) {
    // relaxed: what a thread legally holds as a handle was taken before it got it; any other value may be refused
    return address - base_.load(std::memory_order_relaxed) < readable_.load(std::memory_order_relaxed);
  }

 private:
  static void* cut(std::size_t bytes);

  static std::atomic<std::uintptr_t> base_;
  static std::atomic<std::size_t> readable_;
};

}  // namespace ompi_lite
