// SPDX-License-Identifier: BSD-3-Clause
// Calls that can do without stand-ins for buffers in device memory. One specialization for each semantic function that has
// such a way: `done` stays false where it cannot be taken, and the buffers are staged.
#pragma once

#include "coll/coll.h"
#include "ompi_lite/abi/payload.h"
#include "ompi_lite/core/device_reduce.h"
#include "ompi_lite/mpi/combined.h"
#include "ompi_lite/mpi/p2p.h"
#include "ompi_lite/mpi/probe.h"

namespace ompi_lite::abi {

template <auto function>
struct DeviceWay {};

template <>
struct DeviceWay<&coll::reduce_local> {
  template <class In, class InOut>
  static Error take(const Site&, bool& done, In& in, InOut& inout, Handle<MPI_Op>& op) {
    if (is_in_place(in.data) || is_in_place(inout.data)) return {};
    return reduce_on_device(op.template as<Op&>(), in.template as<Buffer>(), inout.template as<Buffer>(), done);
  }
};

// What to call in place of a function if it may get buffers in device memory (Buffer::space): itself, or a form that makes
// requests of its messages, since the shortest ways do not look. Null: it cannot.
template <auto same>
struct DeviceForm {
  static constexpr decltype(same) function = nullptr;
};
template <auto same>
struct Itself {
  static constexpr auto function = same;
};
template <>
struct DeviceForm<&mpi::isend> : Itself<&mpi::isend> {};
template <>
struct DeviceForm<&mpi::send_init> : Itself<&mpi::send_init> {};
template <>
struct DeviceForm<&mpi::irecv> : Itself<&mpi::irecv> {};
template <>
struct DeviceForm<&mpi::recv_init> : Itself<&mpi::recv_init> {};
template <>
struct DeviceForm<&mpi::mrecv> : Itself<&mpi::mrecv> {};
template <>
struct DeviceForm<&mpi::imrecv> : Itself<&mpi::imrecv> {};
template <>
struct DeviceForm<&mpi::isendrecv> : Itself<&mpi::isendrecv> {};
template <>
struct DeviceForm<&mpi::send> : Itself<&mpi::send_by_request> {};
template <>
struct DeviceForm<&mpi::recv> : Itself<&mpi::recv_by_request> {};
template <>
struct DeviceForm<&mpi::sendrecv> : Itself<&mpi::sendrecv_by_requests> {};

}  // namespace ompi_lite::abi
