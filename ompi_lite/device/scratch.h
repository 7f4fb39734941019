// SPDX-License-Identifier: BSD-3-Clause
// Temporary memory on a device. Kept for the next user, since drivers take long to give some.
#pragma once

#include <cstddef>
#include <utility>

#include "ompi_lite/device/device_set.h"

namespace ompi_lite::device {

// Guarded by the process lock.
class Scratch {
 public:
  Scratch() = default;
  Scratch(Scratch&& other) noexcept { *this = std::move(other); }
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(location_, other.location_);
    return *this;
  }
  ~Scratch();
  // Memory that work near `near` reaches; null data() when the device has no more.
  static Scratch take(std::size_t bytes, const Location& near);
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  Location location_;
};

// Gives back what nobody uses.
void release_scratch();

}  // namespace ompi_lite::device
