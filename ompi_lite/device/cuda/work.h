// SPDX-License-Identifier: BSD-3-Clause
// What the plugin lets devices do: OmpiLiteDeviceOps says what each function means.
#pragma once

#include "ompi_lite/device/ops.h"

namespace ompi_lite::cuda {

int copy(const OmpiLiteCopies* copies, const OmpiLiteLocation* near, OmpiLiteReason* reason);
int settle(const OmpiLiteLocation* near, OmpiLiteReason* reason);
int begin(const OmpiLiteCopies* copies, const OmpiLiteLocation* near, void** work, OmpiLiteReason* reason);
int poll(void* work, bool wait, OmpiLiteReason* reason);
int reduce(const OmpiLiteReduction* what, const OmpiLiteLocation* near, OmpiLiteReason* reason);

}  // namespace ompi_lite::cuda
