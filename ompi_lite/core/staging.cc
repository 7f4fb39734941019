// SPDX-License-Identifier: BSD-3-Clause
// Stand-ins in host memory for buffers of devices.
#include "ompi_lite/core/staging.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/pack.h"

namespace ompi_lite {
namespace {

constexpr std::uintptr_t kPage = 4096;            // memory of host and device does not meet within one
constexpr std::size_t kLargestPooled = 64 << 20;  // larger spans get addresses, and memory only where the data are
constexpr std::size_t kCopiesAtOnce = 256;

// Looks for device memory among the blocks of a type. Blocks in a page that was looked at, or in the allocation of the last
// device block, are passed over; of evenly spaced copies the first and the last tell.
class Search {
 public:
  Search(const char* name, device::Location& found) : name_(name), found_(found) {}

  Error look(std::span<const LayoutItem> items, const std::byte* base) {
    for (const LayoutItem& item : items) {
      OL_TRY(look(item, base + item.offset));
      if (item.count > 1) OL_TRY(look(item, base + item.offset + (item.count - 1) * item.stride));
    }
    return {};
  }

 private:
  Error look(const LayoutItem& item, const std::byte* at) {
    return item.body != nullptr ? look(item.body->items(), at) : look_at(at);
  }
  Error look_at(const std::byte* at) {
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(at) / kPage;
    if (page == last_page_ || found_.holds(at)) return {};
    last_page_ = page;
    const device::Location here = device::locate(at);
    if (here.out_of_reach()) {
      if (!found_.out_of_reach()) found_ = here;
      return {};
    }
    return here.space() == MemorySpace::host ? device::check_host(at, name_) : Error();
  }

  const char* name_;
  device::Location& found_;
  std::uintptr_t last_page_ = 0;
};

struct Span {
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
};

// From the first byte of data to behind the last one.
Span span_of(std::span<const Buffer> blocks) {
  Span span;
  for (const Buffer& block : blocks) {
    if (pack_size(block) == 0) continue;
    const auto base = reinterpret_cast<std::uintptr_t>(block.data) + static_cast<std::uintptr_t>(block.type->true_lb());
    const auto last = static_cast<std::uintptr_t>((block.count - 1) * block.type->extent());
    const bool backwards = block.type->extent() < 0;
    const std::uintptr_t begin = backwards ? base + last : base;
    const std::uintptr_t end = (backwards ? base : base + last) + static_cast<std::uintptr_t>(block.type->true_extent());
    span.begin = std::min(span.begin, begin);
    span.end = std::max(span.end, end);
  }
  return span;
}

// The copies of one buffer, with evenly spaced runs as one; given to the device in lots.
class Copies {
 public:
  Copies(std::uintptr_t shift, bool out, const device::Location& near, bool pinned)
      : shift_(shift), out_(out), pinned_(pinned), near_(near) {}

  Error add(const LayoutItem& item, std::byte* base) {
    std::byte* at = base + item.offset;
    if (item.body == nullptr) return add(at, item.bytes, item.count, item.stride);
    for (const LayoutItem& inner : item.body->items()) {
      if (inner.body == nullptr && inner.count <= item.count) {  // as few and as long rows of copies as can be
        for (Count i = 0; i < inner.count; ++i)
          OL_TRY(add(at + inner.offset + i * inner.stride, inner.bytes, item.count, item.stride));
      } else {
        for (Count i = 0; i < item.count; ++i) OL_TRY(add(inner, at + i * item.stride));
      }
    }
    return {};
  }
  Error flush() {
    const Error error = device::copy(std::span(lot_).first(used_), near_, pinned_);
    used_ = 0;
    return error;
  }
  std::uint64_t bytes() const { return bytes_; }

 private:
  Error add(std::byte* at, Count bytes, Count count, Count stride) {
    if (count > 1 && stride < bytes) {  // overlapping, or backwards: one after the other
      for (Count i = 0; i < count; ++i) OL_TRY(add(at + i * stride, bytes, 1, 0));
      return {};
    }
    if (used_ == lot_.size()) OL_TRY(flush());
    auto* other = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(at) + shift_);
    const auto pitch = static_cast<std::size_t>(count > 1 ? stride : bytes);
    lot_[used_++] = {out_ ? at : other,
                     out_ ? other : at,
                     static_cast<std::size_t>(bytes),
                     static_cast<std::size_t>(count),
                     pitch,
                     pitch};
    bytes_ += static_cast<std::uint64_t>(bytes * count);
    return {};
  }

  std::uintptr_t shift_;
  bool out_, pinned_;
  const device::Location& near_;
  std::array<OmpiLiteCopy, kCopiesAtOnce> lot_;
  std::size_t used_ = 0;
  std::uint64_t bytes_ = 0;
};

// Makes memory of the pages of a reserved stand-in that data will lie in.
bool make_room(const LayoutItem& item, const std::byte* base, device::Bounce& bounce) {
  const std::byte* at = base + item.offset;
  const bool dense = item.stride >= 0 && static_cast<std::uintptr_t>(item.stride) <= 16 * kPage;
  if (item.body == nullptr && (item.count == 1 || dense))
    return bounce.make_usable(at, static_cast<std::size_t>((item.count - 1) * item.stride + item.bytes));
  for (Count i = 0; i < item.count; ++i) {
    const std::byte* copy = at + i * item.stride;
    if (item.body == nullptr) {
      if (!bounce.make_usable(copy, static_cast<std::size_t>(item.bytes))) return false;
      continue;
    }
    for (const LayoutItem& inner : item.body->items())
      if (!make_room(inner, copy, bounce)) return false;
  }
  return true;
}

Error no_room(std::size_t bytes) {
  return make_error(ErrorClass::no_mem, "there is no host memory for %zu bytes of a buffer in device memory", bytes);
}

}  // namespace

Error locate_buffer(const Buffer& buffer, const char* name, device::Location& found) {
  if (pack_size(buffer) == 0) return {};
  const LayoutItem loop = loop_over(buffer.type->layout(), buffer.count, buffer.type->extent());
  return Search(name, found).look({&loop, 1}, buffer.data);
}

Result<std::unique_ptr<StandIn>> StandIn::make(std::span<const Buffer> blocks, Flow flow, const device::Location& near) {
  std::unique_ptr<StandIn> made(new StandIn);
  made->flow_ = flow;
  made->near_ = near;
  for (const Buffer& block : blocks) {
    if (pack_size(block) == 0) continue;
    made->blocks_.push_back(block);
    made->types_.push_back(block.type->predefined ? Ref<Datatype>() : Ref<Datatype>::share(block.type));
  }
  const Span span = span_of(made->blocks_);
  const std::uintptr_t first_page = span.begin & ~(kPage - 1);  // so that data keep their alignment
  const std::size_t bytes = span.end - first_page;
  if (bytes <= kLargestPooled) {
    made->bounce_ = device::Bounce::take(bytes, near);
  } else {
    made->bounce_ = device::Bounce::reserve((bytes + kPage - 1) & ~(kPage - 1));
  }
  if (made->bounce_.data() == nullptr) return no_room(bytes);
  made->shift_ = reinterpret_cast<std::uintptr_t>(made->bounce_.data()) - first_page;
  if (bytes > kLargestPooled) {
    for (const Buffer& block : made->blocks_) {
      const LayoutItem loop = loop_over(block.type->layout(), block.count, block.type->extent());
      if (!make_room(loop, made->moved(block.data), made->bounce_)) return no_room(bytes);
    }
  }
  return made;
}

StandIn::~StandIn() = default;

Error StandIn::copy(const Buffer& part, bool out) const {
  if (pack_size(part) == 0) return {};
  Copies copies(shift_, out, near_, bounce_.pinned());
  OL_TRY(copies.add(loop_over(part.type->layout(), part.count, part.type->extent()), part.data));
  OL_TRY(copies.flush());
  device::device_counters.staged_bytes.add(copies.bytes());
  return {};
}

Error StandIn::copy_in(const Buffer& part) const { return copy(part, false); }
Error StandIn::copy_out(const Buffer& part) const { return copy(part, true); }

Error StandIn::copy_in() const {
  if (flow_ == Flow::fill) return {};
  for (const Buffer& block : blocks_) OL_TRY(copy(block, false));
  return {};
}

Error StandIn::copy_out() const {
  if (flow_ == Flow::in) return {};
  for (const Buffer& block : blocks_) OL_TRY(copy(block, true));
  return {};
}

Error Staging::add(const void*& base, std::span<const Buffer> blocks, Flow flow, const char* name) {
  device::Location found;
  for (const Buffer& block : blocks) OL_TRY(locate_buffer(block, name, found));
  if (!found.out_of_reach()) return {};
  Result<std::unique_ptr<StandIn>> made = StandIn::make(blocks, flow, found);
  if (!made) return made.error();
  base = (*made)->moved(static_cast<const std::byte*>(base));
  stand_ins_.push_back(std::move(made).value());
  device::device_counters.staged_buffers.add(1);
  return {};
}

Error Staging::copy_in() const {
  for (const auto& each : stand_ins_) OL_TRY(each->copy_in());
  return {};
}

Error Staging::end(Error error, Request* request) {
  if (stand_ins_.empty()) return error;
  if (!error && request != nullptr) {
    go_on_in(*request);
    return {};
  }
  for (const auto& each : stand_ins_) {
    const Error undelivered = each->copy_out();
    if (undelivered && !error) error = undelivered;  // else the buffer of the sentence belongs to the first
  }
  return error;
}

// ---- requests ----

namespace {

// Stands in front of the request's own functions. Owned by the request, ends with it.
struct StagedOps final : RequestOps {
  const RequestOps* own = nullptr;
  std::vector<std::unique_ptr<StandIn>> stand_ins;
  bool delivered = false;     // of this round: the data are where the application wants them
  bool whole = true;          // false: partitioned, the parts come and go one by one
  std::vector<bool> arrived;  // by element, of a partitioned receive

  static StagedOps& of(Request& request) { return *static_cast<StagedOps*>(const_cast<RequestOps*>(request.ops)); }

  Error deliver() {
    if (std::exchange(delivered, true)) return {};
    for (const auto& each : stand_ins) {
      if (arrived.empty()) {
        OL_TRY(each->copy_out());
        continue;
      }
      OL_TRY(deliver_rest(*each));
    }
    return {};
  }

  // Parts that the application knows to have arrived may have been changed by it.
  Error deliver_rest(const StandIn& data) {
    const Buffer& whole_buffer = data.blocks().front();
    for (std::size_t i = 0; i < arrived.size();) {
      std::size_t end = i;
      while (end < arrived.size() && arrived[end] == arrived[i]) ++end;
      if (!arrived[i]) {
        Buffer part = whole_buffer;
        part.data += static_cast<Count>(i) * part.type->extent();
        part.count = static_cast<Count>(end - i);
        OL_TRY(data.copy_out(part));
      }
      i = end;
    }
    return {};
  }
};

Error start_staged(Request& request) {
  StagedOps& staged = StagedOps::of(request);
  staged.delivered = false;
  staged.arrived.clear();
  if (staged.whole)
    for (const auto& each : staged.stand_ins) OL_TRY(each->copy_in());
  return staged.own->start(request);
}

Error finish_staged(Request& request) {
  StagedOps& staged = StagedOps::of(request);
  const Error error = staged.own->finish(request);
  const Error undelivered = staged.deliver();
  return error ? error : undelivered;
}

void destroy_staged(Request& request) {
  const std::unique_ptr<StagedOps> staged(&StagedOps::of(request));
  // A request that was freed while it was active has no wait that would do it.
  if (request.active && request.done())
    if (Error error = staged->deliver()) OL_LOG(error, "%s", error.sentence());
  request.ops = staged->own;
  staged->own->destroy(request);
}

StagedOps* staged_ops(Request& request) { return request.ops->finish == finish_staged ? &StagedOps::of(request) : nullptr; }

Buffer part_of(const StandIn& data, Count first, Count elements) {
  const Buffer& whole = data.blocks().front();
  return Buffer(whole.data + first * whole.type->extent(), elements, whole.type);
}

}  // namespace

void Staging::go_on_in(Request& request) {
  auto* staged = new StagedOps;
  static_cast<RequestOps&>(*staged) = *request.ops;
  staged->own = request.ops;
  staged->stand_ins = std::move(stand_ins_);
  staged->whole = request.request_kind != RequestKind::partitioned;
  if (request.persistent) staged->start = start_staged;
  staged->finish = finish_staged;
  staged->destroy = destroy_staged;
  request.ops = staged;
}

Error stage_in_part(Request& request, Count first, Count elements) {
  const StagedOps* staged = staged_ops(request);
  if (staged == nullptr) return {};
  const StandIn& data = *staged->stand_ins.front();
  return data.copy_in(part_of(data, first, elements));
}

Error stage_out_part(Request& request, Count first, Count elements) {
  StagedOps* staged = staged_ops(request);
  if (staged == nullptr || staged->delivered) return {};
  const StandIn& data = *staged->stand_ins.front();
  staged->arrived.resize(static_cast<std::size_t>(data.blocks().front().count));
  const auto begin = staged->arrived.begin() + first;
  if (std::find(begin, begin + elements, false) == begin + elements) return {};
  OL_TRY(data.copy_out(part_of(data, first, elements)));
  std::fill(begin, begin + elements, true);
  return {};
}

}  // namespace ompi_lite
