// SPDX-License-Identifier: BSD-3-Clause
// Their presets.
#include "ompi_lite/base/launcher_knobs.h"

namespace ompi_lite {

constinit Knob<double> report_hang{"report_hang", 0, Unit::seconds,
                                   "mpirun reports who waits for whom when no rank has got on for so long; 0: never"};
constinit Knob<double> launch_timeout{"launch_timeout", 30, Unit::seconds,
                                      "how long mpirun waits for a host to answer before it gives the job up"};
constinit Knob<double> lost_host_time{
    "lost_host_time", 60, Unit::seconds,
    "after so long without a sign of life a host of a job counts as lost, and ends its ranks itself; 0: never"};
constinit Knob<std::int64_t> launch_fan_out{
    "launch_fan_out", 32, Unit::none,
    "how many hosts mpirun, and each host in turn, starts daemons on; more than the job has hosts: mpirun starts all"};

KnobGroup launcher_knobs() {
  static constexpr KnobBase* kKnobs[] = {&report_hang, &launch_timeout, &lost_host_time, &launch_fan_out};
  return {"launcher", kKnobs};
}

}  // namespace ompi_lite
