// SPDX-License-Identifier: BSD-3-Clause
// Collectives whose buffers all lie on one device are done there, if they go by messages: the same function, and an OnDevice
// around it.
#pragma once

#include "coll/on_device.h"
#include "ompi_lite/abi/device_ways.h"
#include "ompi_lite/abi/run.h"
#include "ompi_lite/core/pack.h"

namespace ompi_lite::abi {

// What the buffers of a call have in common.
class OneDevice {
 public:
  explicit OneDevice(const Site& site) : site_(site) {}

  template <class A>
  Error look(A& argument) {
    if constexpr (requires { argument.whole(site_); }) return look_at(argument.whole(site_), argument.data_name);
    return {};
  }
  Error look(Handle<MPI_Op>& op) {
    op_ = &op.template as<Op&>();
    return {};
  }
  explicit operator bool() const { return together_ && found_.out_of_reach(); }
  const device::Location& place() const { return found_; }

 private:
  Error look_at(const Buffer& buffer, const char* name) {
    if (pack_size(buffer) == 0 || !together_) return {};
    device::Location here;
    OL_TRY(locate_buffer(buffer, name, here));
    together_ =
        DeviceData::fits(buffer, here) &&
        (!found_.out_of_reach() || (here.facts.device == found_.facts.device && here.facts.context == found_.facts.context));
    if (!found_.out_of_reach()) found_ = here;
    return {};
  }

 public:
  // Reductions need a kernel. The operation comes behind the buffers.
  template <class A>
  void need_kernel(A& argument) {
    if constexpr (requires { argument.whole(site_); }) {
      const Buffer buffer = argument.whole(site_);
      if (op_ != nullptr && together_ && pack_size(buffer) != 0)
        together_ = reduces_near(*op_, *buffer.type, buffer.data, found_);
    }
  }

 private:
  const Site& site_;
  device::Location found_;
  bool together_ = true;
  Op* op_ = nullptr;
};

template <auto function>
struct CollectiveWay {
  template <class... A>
  static Error take(const Site& site, bool& done, A&... args) {
    if (site.comm == nullptr || !coll::may_run_on_device(*site.comm)) return {};
    OneDevice buffers(site);
    Error error;
    static_cast<void>(((error = buffers.look(args), !error) && ...));
    if (error) return error;
    (buffers.need_kernel(args), ...);
    if (!buffers) return {};
    done = true;
    const coll::OnDevice there(*site.comm, buffers.place());
    return Run<function>::with(args...);
  }
};
template <>
struct DeviceWay<&coll::bcast> : CollectiveWay<&coll::bcast> {};
template <>
struct DeviceWay<&coll::gather> : CollectiveWay<&coll::gather> {};
template <>
struct DeviceWay<&coll::scatter> : CollectiveWay<&coll::scatter> {};
template <>
struct DeviceWay<&coll::allgather> : CollectiveWay<&coll::allgather> {};
template <>
struct DeviceWay<&coll::alltoall> : CollectiveWay<&coll::alltoall> {};
template <>
struct DeviceWay<&coll::reduce> : CollectiveWay<&coll::reduce> {};
template <>
struct DeviceWay<&coll::allreduce> : CollectiveWay<&coll::allreduce> {};
template <>
struct DeviceWay<&coll::reduce_scatter_block> : CollectiveWay<&coll::reduce_scatter_block> {};
template <>
struct DeviceWay<&coll::scan> : CollectiveWay<&coll::scan> {};
template <>
struct DeviceWay<&coll::exscan> : CollectiveWay<&coll::exscan> {};

}  // namespace ompi_lite::abi
