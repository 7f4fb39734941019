// SPDX-License-Identifier: BSD-3-Clause
// The kernels as the driver loads them.
#pragma once

#include <cstddef>

namespace ompi_lite::cuda {

// A fatbin if nvcc built it into the plugin, else null.
const void* kernel_image();

// (int op, int element, const void* in, void* inout, unsigned long long count).
inline constexpr char kReduceKernel[] = "ompi_lite_reduce";
// (CopyLot lot): core/copy_on_device.h.
inline constexpr char kCopyKernel[] = "ompi_lite_copy";
// Threads in one block of a kernel, and the most blocks in a launch.
inline constexpr unsigned kThreads = 256, kMostBlocks = 4096;

}  // namespace ompi_lite::cuda
