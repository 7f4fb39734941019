// SPDX-License-Identifier: BSD-3-Clause
// A pool of objects of one type: taken and given back in O(1), memory in chunks that live as long as the pool.
#pragma once

#include <cstddef>
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
  ~Pool() {
    for (Slot* chunk : chunks_) give_memory_back(chunk);
  }

  template <class... Arguments>
  T* take(Arguments&&... arguments) {
    if (!free_) grow();
    Slot* slot = free_;
    free_ = slot->next;
    ++taken_;
    return ::new (static_cast<void*>(slot->bytes)) T(std::forward<Arguments>(arguments)...);
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
    auto* chunk = static_cast<Slot*>(take_memory(sizeof(Slot) * chunk_objects));
    chunks_.push_back(chunk);
    for (std::size_t i = chunk_objects; i-- > 0;) {
      chunk[i].next = free_;
      free_ = &chunk[i];
    }
  }

  // Objects with an own operator new live where that one puts them.
  static constexpr bool own_memory = requires { T::operator new (std::size_t{}); };
  static void* take_memory(std::size_t bytes) {
    if constexpr (own_memory) {
      return T::operator new(bytes);
    } else {
      return ::operator new (bytes, std::align_val_t{alignof(Slot)});
    }
  }
  static void give_memory_back(Slot* chunk) {
    if constexpr (own_memory) {
      T::operator delete(chunk, sizeof(Slot) * chunk_objects);
    } else {
      ::operator delete (chunk, std::align_val_t{alignof(Slot)});
    }
  }

  Slot* free_ = nullptr;
  std::size_t taken_ = 0;
  std::vector<Slot*> chunks_;
};

}  // namespace ompi_lite
