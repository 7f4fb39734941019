// SPDX-License-Identifier: BSD-3-Clause
// Pretended device memory: mapped twice, and the address that the program gets cannot be touched, so that any access by the
// host is a SIGSEGV. What the device may do goes through the other mapping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace fake {

enum class Kind : std::uint8_t { host, device, managed, imported };

struct Allocation {
  char* shown = nullptr;   // the program's address
  char* inside = nullptr;  // the same bytes for the device
  std::size_t bytes = 0;   // asked for
  std::size_t mapped = 0;
  Kind kind = Kind::host;
  int device = 0;
  int fd = -1;
  void* context = nullptr;
  std::uint64_t id = 0;
  bool pooled = false;      // of a memory pool: no context, no export
  bool registered = false;  // host memory of the program's
};

// Thread-safe. Addresses that were freed are given again at once, so that a stale memory of them shows.
class Memory {
 public:
  // Null when the device has no more: its size is `room` bytes.
  char* allocate(Kind kind, std::size_t bytes, int device, void* context, bool pooled);
  char* import(int fd, std::size_t bytes, int device, void* context);
  bool add_registered(char* address, std::size_t bytes, void* context);
  bool free(void* address, Kind kind, bool registered = false);
  // The allocation that holds the address; a copy, for it may go.
  bool find(const void* address, Allocation& found) const;
  // Where the device finds [address, address + bytes): null if that is not within one allocation, or device memory of a dead
  // allocation. Addresses of the program that are not known are its own.
  char* reach(const void* address, std::size_t bytes) const;

  std::size_t room = std::size_t{1} << 32;

 private:
  const Allocation* holding(const void* address) const;

  mutable std::mutex lock_;
  std::map<std::uintptr_t, Allocation> by_end_;
  std::multimap<std::size_t, char*> free_addresses_;
  std::uint64_t next_id_ = 1;
  std::size_t used_ = 0;
};

}  // namespace fake
