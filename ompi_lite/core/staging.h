// SPDX-License-Identifier: BSD-3-Clause
// Buffers in device memory, seen by everything below the door as buffers in host memory: the data are copied to a stand-in
// before the operation and back after it, in the same layout. One place for all functions; a function that can work on
// device memory takes its buffers from here before they are staged.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/request.h"
#include "ompi_lite/device/device_set.h"

namespace ompi_lite {

// What the operation does with a buffer.
enum class Flow : std::uint8_t {
  in,    // only reads it
  out,   // may write all of it, or part
  fill,  // writes it from its beginning, without reading; StandIn::cut() says how far
};

// The first location in device memory that a block of the buffer has, or a host location if it has none; an Error if the
// host cannot read a block that no driver knows. A derived type may mix memory spaces.
Error locate_buffer(const Buffer& buffer, const char* name, device::Location& found);

// One buffer argument that lies in device memory, wholly or in part: the blocks that belong to it and their stand-in.
class StandIn {
 public:
  // Makes the stand-in; `near` is the location of a block.
  static Result<std::unique_ptr<StandIn>> make(std::span<const Buffer> blocks, Flow flow, const device::Location& near);
  ~StandIn();
  StandIn(const StandIn&) = delete;
  StandIn& operator=(const StandIn&) = delete;

  // The address in the stand-in that an address of the buffer has.
  template <class T>
  T* moved(T* address) const {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(address) + shift_);
  }
  // Only so many elements of the one block there is were written.
  void cut(Count elements) { blocks_.front().count = elements; }
  const std::vector<Buffer>& blocks() const { return blocks_; }
  Error copy_in() const;
  Error copy_out() const;
  Error copy_in(const Buffer& part) const;
  Error copy_out(const Buffer& part) const;

 private:
  StandIn() = default;
  Error copy(const Buffer& part, bool out) const;

  std::vector<Buffer> blocks_;  // in the application's addresses
  std::vector<Ref<Datatype>> types_;
  device::Bounce bounce_;
  device::Location near_;
  std::uintptr_t shift_ = 0;  // modulo 2^64
  Flow flow_ = Flow::in;
};

// The staged buffers of one call. Lives on the call's stack; what a request needs moves into the request.
class Staging {
 public:
  // `base` becomes the address that the operation shall use for it: its own, or one in a stand-in. `name` is the argument's.
  Error add(const void*& base, std::span<const Buffer> blocks, Flow flow, const char* name);
  StandIn* last() const { return stand_ins_.back().get(); }
  Error copy_in() const;
  // The operation has ended as `error` says: copies back. Unless it goes on in a request: that copies back when it completes
  // and, if it is persistent, in when it starts.
  Error end(Error error, Request* request);

 private:
  void go_on_in(Request& request);

  std::vector<std::unique_ptr<StandIn>> stand_ins_;
};

// For partitioned requests, whose data move part by part: called before a part is sent and when one has arrived.
// Parts are counted in elements of the buffer.
Error stage_in_part(Request& request, Count first, Count elements);
Error stage_out_part(Request& request, Count first, Count elements);

}  // namespace ompi_lite
