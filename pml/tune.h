// SPDX-License-Identifier: BSD-3-Clause
// The knobs and fixed sizes of the point-to-point layer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ompi_lite/base/knob.h"

namespace ompi_lite::pml {

extern Knob<std::int64_t> eager_bytes;  // messages up to this size travel with their header

inline constexpr std::size_t kMostEager = 65536;      // whatever the knob says: the size of a stack buffer to pack into
inline constexpr std::size_t kFirstBulkBytes = 8192;  // first data frame of a large message; the next ones double
inline constexpr int kFramesPerTurn = 4;              // data frames to one peer before others have their turn

KnobGroup knobs();

}  // namespace ompi_lite::pml
