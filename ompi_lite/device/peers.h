// SPDX-License-Identifier: BSD-3-Clause
// Device memory of other processes of this machine: mapped once, used for many messages, never taken for what was at its
// address before.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "ompi_lite/base/error.h"
#include "ompi_lite/device/device_set.h"

namespace ompi_lite::device {

// What a process tells another one of some bytes in its device memory. Crosses process boundaries.
struct Export {
  std::uint64_t id = 0;      // of the allocation: no other of the same process has it, now or later
  std::uint64_t base = 0;    // its address there
  std::uint64_t bytes = 0;   // its size
  std::uint64_t offset = 0;  // of the data within
  OmpiLiteExport handle{};
};
static_assert(sizeof(Export) == 96 && std::is_trivially_copyable_v<Export>);

// False where the memory cannot be mapped by others, as that of pools. Asks the driver once for each allocation.
bool export_memory(const Location& location, const void* data, Export& exported);

// A mapping of another process's memory while it is in use; the mapping itself stays for the next messages, until its place
// is needed or the allocation turns out to be gone. Guarded by the process lock, as all here.
class Import {
 public:
  Import() = default;
  Import(Import&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  Import& operator=(Import&& other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  ~Import();
  // Maps it where `near` lies. No mapping: that cannot be; it is not tried again for this allocation.
  static Import open(std::int32_t peer, const Export& exported, const Location& near);
  explicit operator bool() const { return entry_ != nullptr; }
  const std::byte* data(const Export& exported) const;

  struct Entry;

 private:
  Entry* entry_ = nullptr;
};

// Gives up all mappings that are not in use.
void close_imports();

extern Knob<bool> use_peers;
extern Knob<std::int64_t> peers_from;
extern Knob<std::int64_t> most_imports;

}  // namespace ompi_lite::device
