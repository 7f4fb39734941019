// SPDX-License-Identifier: BSD-3-Clause
// All knobs of the library, component by component.
#include "ompi_lite/runtime/knob_list.h"

#include <array>

#include "btl/btl.h"
#include "btl/ofi/ofi.h"
#include "btl/shm/transport.h"
#include "btl/tcp/transport.h"
#include "coll/select.h"
#include "ompi_lite/base/launcher_knobs.h"
#include "ompi_lite/core/op_kernels.h"
#include "ompi_lite/core/reorder.h"
#include "ompi_lite/device/device_set.h"
#include "ompi_lite/runtime/flight_recorder.h"
#include "ompi_lite/runtime/leftovers.h"
#include "ompi_lite/runtime/thread_level.h"
#include "ompi_lite/runtime/traffic.h"
#include "pml/tune.h"

namespace ompi_lite {

constinit Knob<bool> check_arguments("check_arguments", true, Unit::none,
                                     "Check the arguments of every MPI call. Off: a wrong argument may crash the program.");

KnobGroup runtime_knobs() {
  static constinit KnobBase* const list[] = {&check_arguments,       &recorded_calls,          &reorder_on_node,
                                             &runtime::report_leaks, &runtime::report_traffic, &reduction_kernels};
  return {"runtime", list};
}

std::span<const KnobGroup> all_knobs() {
  static const std::array groups{base_knobs(),      launcher_knobs(),  runtime_knobs(), btl::btl_knobs(), btl::shm::knobs(),
                                 btl::tcp::knobs(), btl::ofi::knobs(), pml::knobs(),    coll::knobs(),    device::knobs()};
  return groups;
}

}  // namespace ompi_lite
