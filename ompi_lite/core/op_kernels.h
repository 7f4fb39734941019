// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the predefined reductions, found by operation and representation.
#pragma once

#include "ompi_lite/core/op.h"
#include "ompi_lite/core/predefined_types.h"

namespace ompi_lite {

// Empty where the arithmetic makes no sense. Whether MPI allows the pair is check_op's question.
Kernel arithmetic_kernel(OpKind op, Representation representation);

// MPI_REPLACE (out = a) and MPI_NO_OP (out = b), by the bytes of one element.
Kernel replace_kernel(int extent);
Kernel no_op_kernel(int extent);

}  // namespace ompi_lite
