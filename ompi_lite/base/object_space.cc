// SPDX-License-Identifier: BSD-3-Clause
// Places for objects: a reserved range that becomes memory step by step, and a queue of free places for each size.
#include "ompi_lite/base/object_space.h"

#include <array>
#include <mutex>
#include <new>

#include "ompi_lite/base/os.h"

namespace ompi_lite {

constinit std::atomic<std::uintptr_t> ObjectSpace::base_{0};
constinit std::atomic<std::size_t> ObjectSpace::readable_{0};

namespace {

constexpr std::size_t kUnit = 64;          // sizes and places are multiples of it
constexpr std::size_t kLargest = 1 << 16;  // larger places are not used again
constexpr std::size_t kStep = 1 << 18;
constexpr std::size_t kMargin = 64;  // the last place that covers() accepts has a readable header

// A free place holds the next one in its first word; the rest, with the mark of a freed object, stays as it was.
struct FreePlace {
  FreePlace* next;
};
struct FreeQueue {
  FreePlace *first = nullptr, *last = nullptr;
};

struct State {
  std::mutex mutex;
  std::array<FreeQueue, kLargest / kUnit + 1> free;
  std::size_t reserved = 0, used = 0, usable = 0;
};
constinit State state;

std::size_t rounded(std::size_t bytes) { return (bytes + kUnit - 1) / kUnit * kUnit; }

}  // namespace

void* ObjectSpace::cut(std::size_t bytes) {
  if (state.reserved == 0) {
    void* start = nullptr;
    // Addresses cost nothing, but a limit on them may be set.
    for (std::size_t wanted : {std::size_t{1} << 36, std::size_t{1} << 32, std::size_t{1} << 28}) {
      start = os::reserve_addresses(wanted);
      if (start == nullptr) continue;
      state.reserved = wanted;
      break;
    }
    if (start == nullptr) throw std::bad_alloc();
    base_.store(reinterpret_cast<std::uintptr_t>(start), std::memory_order_relaxed);  // see covers
  }
  const std::uintptr_t base = base_.load(std::memory_order_relaxed);  // written under the mutex alone
  if (state.used + bytes + kMargin > state.usable) {
    const std::size_t more = (bytes + kMargin + kStep - 1) / kStep * kStep;
    if (state.usable + more > state.reserved || !os::make_usable(reinterpret_cast<void*>(base + state.usable), more))
      throw std::bad_alloc();
    state.usable += more;
    readable_.store(state.usable - kMargin, std::memory_order_relaxed);  // see covers
  }
  void* place = reinterpret_cast<void*>(base + state.used);
  state.used += bytes;
  return place;
}

void* ObjectSpace::take(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  std::lock_guard lock(state.mutex);
  if (size <= kLargest) {
    FreeQueue& queue = state.free[size / kUnit];
    if (FreePlace* place = queue.first) {
      queue.first = place->next;
      if (queue.first == nullptr) queue.last = nullptr;
      return place;
    }
  }
  return cut(size);
}

std::span<const std::byte> ObjectSpace::used() {
  std::lock_guard lock(state.mutex);
  return {reinterpret_cast<const std::byte*>(base_.load(std::memory_order_relaxed)), state.used};  // see cut
}

void ObjectSpace::give_back(void* place, std::size_t bytes) noexcept {
  const std::size_t size = rounded(bytes);
  if (place == nullptr || size > kLargest) return;
  std::lock_guard lock(state.mutex);
  FreeQueue& queue = state.free[size / kUnit];
  auto* freed = static_cast<FreePlace*>(place);
  freed->next = nullptr;
  (queue.last != nullptr ? queue.last->next : queue.first) = freed;
  queue.last = freed;
}

}  // namespace ompi_lite
