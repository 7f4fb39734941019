// SPDX-License-Identifier: BSD-3-Clause
// Local steps of collectives in device memory.
#include "coll/on_device.h"

#include "coll/state.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/device_data.h"
#include "ompi_lite/core/device_reduce.h"
#include "ompi_lite/core/pack.h"

namespace ompi_lite::coll {

constinit Knob<bool> device_collectives(
    "device_collectives", false, Unit::none,
    "For jobs whose large collectives are on device buffers, the same at all ranks: collectives of ranks of one host go by "
    "messages, never through shared host memory, so that they can run in device memory. Ranks with host buffers may take "
    "part.");

bool may_run_on_device(Communicator& comm) { return !comm.is_inter() && state_of(comm).by_messages(); }

OnDevice::OnDevice(Communicator& comm, const device::Location& near) : comm_(comm), near_(near) {
  state_of(comm).set_device(this);
  device::device_counters.collectives.add(1);
}
OnDevice::~OnDevice() { state_of(comm_).set_device(nullptr); }

std::byte* OnDevice::take(std::size_t bytes) {
  scratch_.push_back(device::Scratch::take(bytes, near_));
  return scratch_.back().data();
}

// Two types with gaps meet in packed form.
Error OnDevice::copy(const Buffer& from, const Buffer& to) {
  const Count bytes = pack_size(from);
  if (bytes == 0) return {};
  if (std::byte* start = contiguous_start(to)) return device::copy(copies_of(from, 0, bytes, start, true), near_, true);
  if (std::byte* start = contiguous_start(from)) return device::copy(copies_of(to, 0, bytes, start, false), near_, true);
  const device::Scratch packed = device::Scratch::take(static_cast<std::size_t>(bytes), near_);
  if (packed.data() == nullptr)
    return make_error(ErrorClass::no_mem, "the device has no memory for %lld bytes of temporary data",
                      static_cast<long long>(bytes));
  OL_TRY(device::copy(copies_of(from, 0, bytes, packed.data(), true), near_, true));
  return device::copy(copies_of(to, 0, bytes, packed.data(), false), near_, true);
}

Error OnDevice::reduce(Op& op, Datatype& type, const std::byte* in, std::byte* inout, Count count) {
  return reduce_near(op, *type.basic(), in, inout, count, near_);
}

}  // namespace ompi_lite::coll
