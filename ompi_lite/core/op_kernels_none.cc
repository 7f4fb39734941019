// SPDX-License-Identifier: BSD-3-Clause
// Architectures whose every processor has the wide registers that we use (on arm64: NEON).
#include "ompi_lite/core/op_kernels_wide.h"

namespace ompi_lite::kernels {

std::span<const KernelSet> wide_sets() { return {}; }

}  // namespace ompi_lite::kernels
