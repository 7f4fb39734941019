// SPDX-License-Identifier: BSD-3-Clause
// What a process has sent and received, told when it leaves.
#pragma once

#include "ompi_lite/base/knob.h"
#include "ompi_lite/runtime/bootstrap.h"

namespace ompi_lite::runtime {

extern constinit Knob<bool> report_traffic;

// One line on stderr, if the knob asks for it.
void tell_traffic(const JobInfo& job);

}  // namespace ompi_lite::runtime
