// SPDX-License-Identifier: BSD-3-Clause
// The kernels as the driver loads them.
#pragma once

#include <cstddef>

namespace ompi_lite::cuda {

// A fatbin if nvcc built it into the plugin, else null.
const void* kernel_image();

// The one kernel: (int op, int element, const void* in, void* inout, unsigned long long count).
inline constexpr char kReduceKernel[] = "ompi_lite_reduce";
// Threads in one block of a kernel, and the most blocks in a launch.
inline constexpr unsigned kThreads = 256, kMostBlocks = 4096;

}  // namespace ompi_lite::cuda
