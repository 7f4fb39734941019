// SPDX-License-Identifier: BSD-3-Clause
// Where bytes live. Decided once, at the door, and carried along with the pointer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ompi_lite {

enum class MemorySpace : std::uint8_t { host, pinned, managed, device };

struct DeviceId {
  std::int16_t index = -1;  // -1: no device
};

}  // namespace ompi_lite
