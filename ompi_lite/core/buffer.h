// SPDX-License-Identifier: BSD-3-Clause
// (address, count, datatype) of an MPI call as one value.
#pragma once

#include <cstddef>

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/device/memory.h"

namespace ompi_lite {

class Datatype;

// Does not own anything; valid while the call or the request that carries it lives. `type` is null only where the standard
// says that the argument is ignored (MPI_IN_PLACE, not significant at this rank).
struct Buffer {
  std::byte* data = nullptr;
  Count count = 0;  // elements of type
  Datatype* type = nullptr;
  MemorySpace space = MemorySpace::host;
  DeviceId device = {};

  Buffer() = default;
  Buffer(const void* address, Count element_count, Datatype* datatype)
      : data(static_cast<std::byte*>(const_cast<void*>(address))), count(element_count), type(datatype) {}
};

// MPI_IN_PLACE of the standard ABI, MPI 5.0 section 20.
inline bool is_in_place(const void* address) { return address == reinterpret_cast<const void*>(1); }
inline bool is_in_place(const Buffer& buffer) { return is_in_place(static_cast<const void*>(buffer.data)); }

}  // namespace ompi_lite
