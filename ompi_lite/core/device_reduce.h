// SPDX-License-Identifier: BSD-3-Clause
// Reductions where the operands lie: in device memory, by a kernel of the plugin.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/core/predefined_types.h"
#include "ompi_lite/device/device_set.h"

namespace ompi_lite {

// Whether there is a kernel near there for the operation and the type, and the data are aligned for it.
bool reduces_near(const Op& op, const Datatype& type, const void* data, const device::Location& near);
// inout = in op inout, for elements of which that is known. An Error if the driver fails.
Error reduce_near(const Op& op, const BasicType& basic, const void* in, void* inout, Count count,
                  const device::Location& near);

// inout = in op inout, if both lie in device memory and there is a kernel for it; `done` says whether it
// is. The operands have the same count and type. An Error if the driver fails.
Error reduce_on_device(Op& op, const Buffer& in, const Buffer& inout, bool& done);

}  // namespace ompi_lite
