// SPDX-License-Identifier: BSD-3-Clause
// The kernels for instructions that not every processor of the architecture has.
#pragma once

#include <span>

#include "ompi_lite/core/op_kernels.h"

namespace ompi_lite::kernels {

// Those that this processor has, narrowest registers first.
std::span<const KernelSet> wide_sets();

}  // namespace ompi_lite::kernels
