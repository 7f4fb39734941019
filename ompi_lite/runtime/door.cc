// SPDX-License-Identifier: BSD-3-Clause
// The state behind door.h.
#include "ompi_lite/runtime/door.h"

namespace ompi_lite {

constinit Door door;

constinit Knob<bool> check_arguments("check_arguments", true, Unit::none,
                                     "check the arguments of MPI calls; no saves some nanoseconds a call");

}  // namespace ompi_lite
