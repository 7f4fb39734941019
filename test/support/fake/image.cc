// SPDX-License-Identifier: BSD-3-Clause
// The plugin's kernels as the pretended driver loads them.
#include "ompi_lite/device/cuda/kernels.h"
#include "test/support/fake/kernels.h"

namespace ompi_lite::cuda {

const void* kernel_image() { return fake::kImage; }

}  // namespace ompi_lite::cuda
