// SPDX-License-Identifier: BSD-3-Clause
// Reductions where the operands lie: in device memory, by a kernel of the plugin.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/op.h"

namespace ompi_lite {

// inout = in op inout, if both lie in device memory and there is a kernel for it; `done` says whether it
// is. The operands have the same count and type. An Error if the driver fails.
Error reduce_on_device(Op& op, const Buffer& in, const Buffer& inout, bool& done);

}  // namespace ompi_lite
