// SPDX-License-Identifier: BSD-3-Clause
// Calls that can do without stand-ins for buffers in device memory. One specialization for each semantic function that has
// such a way: `done` stays false where it cannot be taken, and the buffers are staged.
#pragma once

#include "coll/coll.h"
#include "ompi_lite/abi/payload.h"
#include "ompi_lite/core/device_reduce.h"

namespace ompi_lite::abi {

template <auto function>
struct DeviceWay {};

template <>
struct DeviceWay<&coll::reduce_local> {
  template <class In, class InOut>
  static Error take(bool& done, In& in, InOut& inout, Handle<MPI_Op>& op) {
    if (is_in_place(in.data) || is_in_place(inout.data)) return {};
    return reduce_on_device(op.template as<Op&>(), in.template as<Buffer>(), inout.template as<Buffer>(), done);
  }
};

}  // namespace ompi_lite::abi
