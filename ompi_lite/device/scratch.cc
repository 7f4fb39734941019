// SPDX-License-Identifier: BSD-3-Clause
// Temporary memory on devices.
#include "ompi_lite/device/scratch.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace ompi_lite::device {
namespace {

constexpr std::size_t kSmallest = 64 << 10, kMostKept = 256 << 20;

struct Kept {
  std::byte* data;
  std::size_t bytes;
  Location location;
};
struct Pool {
  std::vector<Kept> free;  // oldest first
  std::size_t bytes = 0;
};
Pool& pool() {
  static Pool& made = *new Pool;  // never destroyed: the driver may be gone before
  return made;
}

// Its context may be gone, and the memory with it; somebody else may have the address since.
bool still_there(const Kept& kept) {
  OmpiLiteLocation now{};
  operations()->locate(kept.data, &now);
  return now.id == kept.location.facts.id && now.context == kept.location.facts.context;
}

void drop_oldest() {
  const Kept& oldest = pool().free.front();
  if (still_there(oldest)) operations()->release(oldest.data, &oldest.location.facts);
  pool().bytes -= oldest.bytes;
  pool().free.erase(pool().free.begin());
}

}  // namespace

Scratch Scratch::take(std::size_t bytes, const Location& near) {
  Scratch made;
  made.bytes_ = std::bit_ceil(std::max(bytes, kSmallest));
  std::vector<Kept>& free = pool().free;
  for (auto kept = free.begin(); kept != free.end(); ++kept) {
    const bool fits = kept->bytes == made.bytes_ && kept->location.facts.device == near.facts.device &&
                      (near.facts.context == nullptr || kept->location.facts.context == near.facts.context);
    if (!fits) continue;
    const Kept found = *kept;
    free.erase(kept);
    pool().bytes -= found.bytes;
    if (!still_there(found)) return take(bytes, near);
    made.data_ = found.data;
    made.location_ = found.location;
    return made;
  }
  void* address = operations()->allocate(made.bytes_, &near.facts);
  while (address == nullptr && !pool().free.empty()) {
    drop_oldest();
    address = operations()->allocate(made.bytes_, &near.facts);
  }
  if (address == nullptr) return Scratch();
  made.data_ = static_cast<std::byte*>(address);
  operations()->locate(address, &made.location_.facts);
  return made;
}

Scratch::~Scratch() {
  if (data_ == nullptr) return;
  pool().free.push_back({data_, bytes_, location_});
  pool().bytes += bytes_;
  while (pool().bytes > kMostKept) drop_oldest();
}

void release_scratch() {
  while (!pool().free.empty()) drop_oldest();
}

}  // namespace ompi_lite::device
