// SPDX-License-Identifier: BSD-3-Clause
// The list of all knobs stands in knob_list.cc; base/knob.h declares all_knobs().
#pragma once

#include "ompi_lite/base/knob.h"

namespace ompi_lite {

KnobGroup runtime_knobs();

}  // namespace ompi_lite
