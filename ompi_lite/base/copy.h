// SPDX-License-Identifier: BSD-3-Clause
// Copies that never become `rep movsb`: into memory that another core reads, and between buffers that are not aligned alike,
// the string instructions are many times slower than wide registers.
#pragma once

#include <cstddef>
#include <cstring>

namespace ompi_lite {

// The best kernel of this processor, measured on first use. For more than a few hundred bytes.
void copy_large(void* to, const void* from, std::size_t bytes);

// Copies any number of bytes between buffers that do not overlap.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes <= 512) {
    if (bytes != 0) std::memcpy(to, from, bytes);  // the C library takes registers up to here
    return;
  }
  copy_large(to, from, bytes);
}

// Which kernel is in use, for ompi_lite_info and the benchmark.
const char* copy_kernel_name();

}  // namespace ompi_lite
