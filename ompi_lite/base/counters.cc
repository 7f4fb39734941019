// SPDX-License-Identifier: BSD-3-Clause
// The counters.
#include "ompi_lite/base/counters.h"

namespace ompi_lite {

constinit Counters counters;

}  // namespace ompi_lite
