// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the device plugin; nvcc makes a fatbin of them that the plugin carries.
#include "ompi_lite/device/copy_on_device.h"
#include "ompi_lite/core/reduce_on_device.h"

extern "C" __global__ void ompi_lite_reduce(int op, int element, const void* in, void* inout, unsigned long long count) {
  const std::uint64_t threads = blockDim.x;
  ompi_lite::kernels::reduce_on_device(op, element, {in, inout, blockIdx.x * threads + threadIdx.x, gridDim.x * threads, count});
}

extern "C" __global__ void ompi_lite_copy(const __grid_constant__ ompi_lite::kernels::CopyLot lot) {
  const std::uint64_t threads = blockDim.x, first = blockIdx.x * threads + threadIdx.x;
  for (std::size_t i = 0; i < lot.count; ++i) ompi_lite::kernels::copy_on_device(lot.list[i], first, gridDim.x * threads);
}
