// SPDX-License-Identifier: BSD-3-Clause
// Built where there is no nvcc: the plugin copies, but has no kernels.
#include "ompi_lite/device/cuda/kernels.h"

namespace ompi_lite::cuda {

const void* kernel_image() { return nullptr; }

}  // namespace ompi_lite::cuda
