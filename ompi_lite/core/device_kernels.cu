// SPDX-License-Identifier: BSD-3-Clause
// The kernel of the device plugin; nvcc makes a fatbin of it that the plugin carries.
#include "ompi_lite/core/reduce_on_device.h"

extern "C" __global__ void ompi_lite_reduce(int op, int element, const void* in, void* inout, unsigned long long count) {
  const std::uint64_t threads = blockDim.x;
  ompi_lite::kernels::reduce_on_device(op, element, {in, inout, blockIdx.x * threads + threadIdx.x, gridDim.x * threads, count});
}
