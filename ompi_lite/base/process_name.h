// SPDX-License-Identifier: BSD-3-Clause
// How a process is called wherever it is not known yet.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace ompi_lite {

// The same everywhere and never used again, unlike a PeerId, which is a place in one process's own table. Travels as it lies
// in memory.
struct ProcessName {
  std::uint64_t world = 0;  // hash of the name of the world that it was started in
  std::int32_t rank = 0;    // there
  std::int32_t unused = 0;
  auto operator<=>(const ProcessName&) const = default;
};
static_assert(sizeof(ProcessName) == 16);

// What two processes both know and show each other that they know, before they talk over a network.
using Secret = std::array<std::byte, 16>;

}  // namespace ompi_lite
