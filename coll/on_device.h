// SPDX-License-Identifier: BSD-3-Clause
// A collective whose buffers all lie on one device: the text of the algorithm is the same, its messages go as those of
// device memory do, its copies and reductions are done where the data are, and its scratch memory is there, too.
#pragma once

#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/device/scratch.h"

namespace ompi_lite::coll {

extern Knob<bool> device_collectives;

// Whether a call may be made so. What the other ranks' buffers are does not matter then: all ranks take the same algorithm,
// and it sends messages. That is not so where ranks of a node share slots and cells in host memory.
bool may_run_on_device(Communicator& comm);

// While it lives the collectives on the communicator work on memory near `near`. On the stack of one call.
class OnDevice {
 public:
  OnDevice(Communicator& comm, const device::Location& near);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  std::byte* take(std::size_t bytes);                // until the call ends; null: the device has no more
  Error copy(const Buffer& from, const Buffer& to);  // of equal size
  Error reduce(Op& op, Datatype& type, const std::byte* in, std::byte* inout, Count count);

 private:
  Communicator& comm_;
  device::Location near_;
  std::vector<device::Scratch> scratch_;
};

}  // namespace ompi_lite::coll
