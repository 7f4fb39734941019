// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the predefined reductions, found by operation and representation.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/core/predefined_types.h"

namespace ompi_lite {

// Empty where the arithmetic makes no sense. Whether MPI allows the pair is check_op's question.
Kernel arithmetic_kernel(OpKind op, Representation representation);

// MPI_REPLACE (out = a) and MPI_NO_OP (out = b), by the bytes of one element.
Kernel replace_kernel(int extent);
Kernel no_op_kernel(int extent);

// ---- sets of instructions ----
// Each has all kernels. They give the same bits, whichever runs: no element depends on another one, and no product is fused
// with a sum. Only of the payload of a NaN that comes from two of them nothing is promised, as in IEEE 754.

constexpr auto kRepresentations = static_cast<std::size_t>(Representation::count_of_them);
constexpr std::size_t kArithmeticOps = static_cast<std::size_t>(OpKind::replace);  // in the order of OpKind, those before it
using KernelTable = std::array<std::array<Kernel, kRepresentations>, kArithmeticOps>;

struct KernelSet {
  const char* name;  // "plain", "avx2", as the knob takes it
  const KernelTable* table;
};
// Those that the processor has, narrowest registers first. Not before main().
std::span<const KernelSet> kernel_sets();
// The set in use; measured at the first question, unless the knob names one.
const KernelSet& kernel_set_in_use();

extern constinit Knob<const char*> reduction_kernels;
// An error names the sets that this processor has. For start-up.
Error check_reduction_kernels();

}  // namespace ompi_lite
