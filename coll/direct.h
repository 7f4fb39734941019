// SPDX-License-Identifier: BSD-3-Clause
// The first model of Steps: does each step now, over the point-to-point layer. This is the blocking collective.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "coll/compare.h"
#include "coll/on_device.h"
#include "coll/schedule.h"
#include "coll/select.h"
#include "coll/state.h"
#include "coll/steps.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/op.h"
#include "pml/pml.h"

namespace ompi_lite::coll {

// Lives on the stack of one call of one rank, which holds the process lock. Bind the slots, run an algorithm, take finish().
// While a Schedule of the communicator records, steps go into it in place of being done: so that nonblocking and persistent
// collectives run the same text.
// The first error ends the part of this rank: it tells all others by an empty message each, which releases whoever waits for
// it, with an error too; the steps that are left do nothing.
class Direct {
 public:
  // A call that has chosen its algorithm has given its signature there; `signature` is for others.
  Direct(Communicator& comm, Operation operation) : Direct(comm, operation, sign(operation)) {}
  Direct(Communicator& comm, Operation operation, CallSignature signature)
      : comm_(comm),
        pml_(pml::of(comm)),
        state_(state_of(comm)),
        recording_(state_.recording()),
        device_(state_.device()),
        operation_(operation),
        tag_(state_.next_tag()),
        signature_(state_.take_signature(signature)) {
    bind(Slot::scratch, nullptr, datatype_of(MPI_BYTE));
    if (recording_ != nullptr) {
      recording_->begin(comm, operation, tag_, signature_);
      return;
    }
    pml_.begin_collective(comm, tag_, signature_);
    notice_others();
  }
  // Goes on with a call that has begun on the node, under its number; never recorded.
  Direct(Communicator& comm, Operation operation, const node::Region::Ticket& begun)
      : comm_(comm),
        pml_(pml::of(comm)),
        state_(state_of(comm)),
        recording_(nullptr),
        device_(nullptr),  // the node's forms take host memory
        operation_(operation),
        tag_(begun.tag),
        signature_(begun.signature) {
    bind(Slot::scratch, nullptr, datatype_of(MPI_BYTE));
    notice_others();
  }
  ~Direct() {
    if (recording_ != nullptr) return;
    state_.arena().reset();
    state_.log().leave(tag_);
  }
  Direct(const Direct&) = delete;
  Direct& operator=(const Direct&) = delete;

  // Part offsets of the slot count from `data`. Scratch has no data: its parts carry addresses.
  void bind(Slot slot, std::byte* data, Datatype& type) { bind(slot, Binding{data, &type, {}}); }
  void bind(Slot slot, std::byte* data, DatatypeSpan types) { bind(slot, Binding{data, nullptr, types}); }
  void reduce_with(Op& op, Datatype& type) {
    op_ = &op;
    if (device_ == nullptr) kernel_ = kernel_for(op, type);
    bind(Slot::scratch, nullptr, type);
    if (recording_ != nullptr) recording_->reduces_with(op, kernel_);
  }

  Communicator& comm() const { return comm_; }
  Operation operation() const { return operation_; }
  // A copy that the next round neither feeds nor uses: done while its messages are under way.
  void copy_meanwhile(const Part& from, const Part& to) {
    if (recording_ != nullptr || bytes(from) != bytes(to)) return copy(from, to);
    waiting_copy_ = {from, to};
    copy_waits_ = true;
  }
  Error finish() {
    do_waiting_copy();
    return failed_ ? make_error(error_class_, "%s", state_.error_text().c_str()) : Error();
  }
  void fail(const Error& error);
  // Memory for n numbers, such as the borders of blocks; null (and failed) if there is none.
  Count* numbers(Count n) { return reinterpret_cast<Count*>(memory(n * static_cast<Count>(sizeof(Count)), false)); }

  // ---- Steps ----
  int rank() const { return comm_.rank(); }
  int size() const { return comm_.size(); }
  const HostMap* hosts() const { return state_.hosts(); }

  void send(const Part& part, int peer) { queue({Message::send, peer, part, nullptr}); }
  void recv(const Part& part, int peer) { queue({Message::recv, peer, part, nullptr}); }
  void sendrecv(const Part& out, int dest, const Part& in, int source) {
    recv(in, source);
    send(out, dest);
  }
  void end_round() {
    if (messages_ == 0) return;
    if (recording_ != nullptr) return record_round();
    if (messages_ > 1 || copy_waits_ || device_ != nullptr) return run_round();
    messages_ = 0;
    const Message& only = state_.round()[0];
    only.way == Message::send ? send_one(only) : recv_one(only);
  }

  void copy(const Part& from, const Part& to);
  void reduce(const Part& a, const Part& b) {
    if (failed_ || a.count == 0) return;
    if (recording_ != nullptr) return recording_->add_reduce(place(a), place(b));
    if (kernel_) return kernel_.two(address(a), address(b), a.count);
    if (device_ != nullptr) return reduce_there(a, b);
    if (Error error = ompi_lite::reduce(*op_, type(a), address(a), address(b), a.count)) fail(error);
  }
  void reduce_copy(const Part& a, const Part& b, const Part& c) {
    if (failed_ || a.count == 0) return;
    if (recording_ != nullptr) return recording_->add_reduce_copy(place(a), place(b), place(c));
    if (kernel_) return kernel_.three(address(a), address(b), address(c), a.count);
    if (device_ != nullptr) {
      copy(b, c);
      return reduce_there(a, c);
    }
    if (Error error = reduce3(*op_, type(a), address(a), address(b), address(c), a.count)) fail(error);
  }

  Part scratch(Count count);
  Part slice(const Part& part, Count first, Count count) const {
    return {part.slot, part.type, part.offset + first * type(part).extent(), count};
  }
  Count bytes(const Part& part) const { return part.count == 0 ? 0 : part.count * type(part).size(); }
  template <class Body>
  void loop(Count n, Body&& body) {
    for (Count i = 0; i < n; ++i) body(i);
  }

 private:
  struct Binding {
    std::byte* data = nullptr;
    Datatype* type = nullptr;  // null: `types` has one for each block
    DatatypeSpan types;
  };
  void bind(Slot slot, const Binding& binding) {
    bindings_[index(slot)] = binding;
    if (recording_ != nullptr) recording_->binds(slot, binding.data);
  }
  Schedule::Place place(const Part& part) const { return {buffer(part), part.slot}; }
  static constexpr std::size_t index(Slot slot) { return static_cast<std::size_t>(slot); }
  Datatype& type(const Part& part) const {
    const Binding& binding = bindings_[index(part.slot)];
    return binding.type != nullptr ? *binding.type : binding.types[part.type];
  }
  std::byte* address(const Part& part) const {
    // Integers: scratch parts hold whole addresses, and MPI_BOTTOM is null.
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(bindings_[index(part.slot)].data) +
                                        static_cast<std::uintptr_t>(part.offset));
  }
  Buffer buffer(const Part& part) const {
    if (part.count == 0) return Buffer(nullptr, 0, &datatype_of(MPI_BYTE));
    Buffer made(address(part), part.count, &type(part));
    if (device_ != nullptr) made.space = MemorySpace::device;
    return made;
  }
  void reduce_there(const Part& in, const Part& inout);
  pml::Envelope with(int peer) const { return {comm_, peer, tag_, Plane::collective, signature_}; }
  // Fails if a rank turned out to be in another collective.
  void notice_others() {
    if (state_.log().found()) [[unlikely]]
      fail(mismatch(state_.log().take(), rank()));
  }

  void queue(const Message& message) {
    if (failed_) return;
    OL_CHECK(messages_ < kRoundMost, messages_);
    state_.round()[static_cast<std::size_t>(messages_++)] = message;
  }
  void send_one(const Message& message);
  void recv_one(const Message& message);
  void run_round();
  void do_waiting_copy() {
    if (std::exchange(copy_waits_, false)) copy(waiting_copy_.from, waiting_copy_.to);
  }
  void record_round();
  static void cancel(Request& request);
  void check_arrival(const Message& message, const Error& error, const MPI_Status& status);
  std::byte* memory(Count bytes, bool data);  // `data`: where the data are

  Communicator& comm_;
  pml::Pml& pml_;
  State& state_;
  Schedule* const recording_;  // null: steps are done now
  OnDevice* const device_;     // where all the data are, or null: in host memory
  const Operation operation_;
  const int tag_;
  const CallSignature signature_;
  bool failed_ = false;
  ErrorClass error_class_ = ErrorClass::success;
  Op* op_ = nullptr;
  Kernel kernel_;  // of predefined ops
  std::array<Binding, 3> bindings_;
  struct {
    Part from, to;
  } waiting_copy_;
  bool copy_waits_ = false;
  int messages_ = 0;  // of the round, in state_.round()
};
static_assert(Steps<Direct>);

// What both ways of running share. All ranks compute the size of each message from their own arguments: where two differ, so
// do the arguments. `error` and `status` are those of the receive.
Error compare_arrival(Operation operation, int source, int rank, Count expected, const Error& error,
                      const MPI_Status& status);
// Copies between two buffers of equal size whose types may differ.
Error copy_checked(Operation operation, int rank, const Buffer& from, const Buffer& to);

}  // namespace ompi_lite::coll
