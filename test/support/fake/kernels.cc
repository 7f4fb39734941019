// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the plugin as host code.
#include "test/support/fake/kernels.h"

namespace fake {

Kernel find_kernel(const char*) { return nullptr; }

}  // namespace fake
