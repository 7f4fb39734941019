// SPDX-License-Identifier: BSD-3-Clause
// Knobs of mpirun. They stand on floor 0 so that one list holds all knobs of the project.
#pragma once

#include "ompi_lite/base/knob.h"

namespace ompi_lite {

extern constinit Knob<double> report_hang;     // how long a job may stand still until it is reported
extern constinit Knob<double> launch_timeout;  // for a host to answer
extern constinit Knob<double> lost_host_time;  // of silence, then a host is lost
extern constinit Knob<std::int64_t> launch_fan_out;

KnobGroup launcher_knobs();

}  // namespace ompi_lite
