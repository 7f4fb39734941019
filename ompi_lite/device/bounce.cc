// SPDX-License-Identifier: BSD-3-Clause
// Host memory that device buffers are staged through. It is ours and only registered with the driver: memory that the driver
// gives belongs to a context and is gone with it.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "ompi_lite/base/os.h"
#include "ompi_lite/base/os_addresses.h"
#include "ompi_lite/device/device_set.h"

namespace ompi_lite::device {
namespace {

constexpr std::size_t kSmallest = 16 << 10, kLargest = 64 << 20, kMostKept = 256 << 20;

struct Kept {
  std::byte* data;
  bool pinned;
};

// By power of two of the size. Guarded by the process lock.
struct Pool {
  std::array<std::vector<Kept>, 64> by_size;
  std::size_t bytes = 0;
};
Pool& pool() {
  static Pool& made = *new Pool;  // never destroyed: the driver may be gone before
  return made;
}

}  // namespace

Bounce::Bounce(Bounce&& other) noexcept { *this = std::move(other); }

Bounce& Bounce::operator=(Bounce&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(kept_, other.kept_);
  std::swap(pinned_, other.pinned_);
  return *this;
}

Bounce Bounce::take(std::size_t bytes, const Location& near) {
  Bounce made;
  made.bytes_ = std::bit_ceil(std::max(bytes, kSmallest));
  made.kept_ = made.bytes_ <= kLargest;
  if (made.kept_) {
    std::vector<Kept>& kept = pool().by_size[static_cast<std::size_t>(std::countr_zero(made.bytes_))];
    if (!kept.empty()) {
      made.data_ = kept.back().data;
      made.pinned_ = kept.back().pinned;
      kept.pop_back();
      pool().bytes -= made.bytes_;
      return made;
    }
  } else {
    made.bytes_ = bytes;
  }
  auto* address = static_cast<std::byte*>(os::reserve_addresses(made.bytes_));
  if (address == nullptr) return made;
  made.data_ = address;
  if (!os::make_usable(address, made.bytes_)) return Bounce();
  // Registering touches every page: worth it for what is used again.
  const OmpiLiteDeviceOps* ops = operations();
  made.pinned_ = made.kept_ && ops != nullptr && ops->pin(address, made.bytes_, &near.facts) == 0;
  return made;
}

Bounce Bounce::reserve(std::size_t bytes) {
  Bounce made;
  made.data_ = static_cast<std::byte*>(os::reserve_addresses(bytes));
  made.bytes_ = bytes;
  return made;
}

bool Bounce::make_usable(const std::byte* from, std::size_t bytes) {
  const auto page = static_cast<std::uintptr_t>(os::page_bytes());
  const auto begin = reinterpret_cast<std::uintptr_t>(from) & ~(page - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(from) + bytes + page - 1) & ~(page - 1);
  return os::make_usable(reinterpret_cast<void*>(begin), end - begin);
}

Bounce::~Bounce() {
  if (data_ == nullptr) return;
  if (kept_ && pool().bytes + bytes_ <= kMostKept) {
    pool().by_size[static_cast<std::size_t>(std::countr_zero(bytes_))].push_back({data_, pinned_});
    pool().bytes += bytes_;
    return;
  }
  if (pinned_) operations()->unpin(data_);
  const os::Mapping unmap(data_, bytes_);
}

}  // namespace ompi_lite::device
