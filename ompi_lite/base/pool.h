// SPDX-License-Identifier: BSD-3-Clause
// A pool of objects of one type: taken and given back in O(1), memory in chunks that live as long as the pool.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace ompi_lite {

// Owned by one component; no locking. Objects that are still out when the pool dies are not destroyed.
template <class T, std::size_t chunk_objects = 32>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  template <class... Arguments>
  T* take(Arguments&&... arguments) {
    if (!free_) grow();
    Slot* slot = free_;
    free_ = slot->next;
    ++taken_;
    return new (static_cast<void*>(slot->bytes)) T(std::forward<Arguments>(arguments)...);
  }

  void give_back(T* object) {
    object->~T();
    auto* slot = reinterpret_cast<Slot*>(object);
    slot->next = free_;
    free_ = slot;
    --taken_;
  }

  std::size_t taken() const { return taken_; }

 private:
  union Slot {
    Slot* next;
    alignas(T) std::byte bytes[sizeof(T)];
  };

  [[gnu::noinline]] void grow() {
    chunks_.push_back(std::make_unique_for_overwrite<Slot[]>(chunk_objects));
    for (std::size_t i = chunk_objects; i-- > 0;) {
      chunks_.back()[i].next = free_;
      free_ = &chunks_.back()[i];
    }
  }

  Slot* free_ = nullptr;
  std::size_t taken_ = 0;
  std::vector<std::unique_ptr<Slot[]>> chunks_;
};

}  // namespace ompi_lite
