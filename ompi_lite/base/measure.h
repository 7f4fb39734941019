// SPDX-License-Identifier: BSD-3-Clause
// Measures the numbers of the machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ompi_lite/base/machine.h"
#include "ompi_lite/base/os.h"

namespace ompi_lite {

// b[i] += a[i] for floats; n bytes.
using SumKernel = void (*)(const float* a, float* b, std::size_t bytes);

struct MeasureOptions {
  os::CpuMask processors;  // that may be used; those that need two are left out where there is one
  SumKernel sum = nullptr;
  std::int64_t at_most_ns = 250'000'000;  // no new pass begins after that; the first is always made
};

// Takes about a tenth of a second, 17 MB of memory and, for moments, two threads on processors of their own; changes
// nothing. Each number is the best of several tries, spread over the time: what disturbs makes things slower, and a slow
// spell should not last as long. What cannot be measured stays a preset. Given back as a file would hold it.
MachineNumbers measure_machine(const MeasureOptions& options);
// The same with the library's kernels of reductions. Defined where they are at hand, in coll/numbers.cc.
MachineNumbers measure_with_kernels(const os::CpuMask& processors);

}  // namespace ompi_lite
