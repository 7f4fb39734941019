// SPDX-License-Identifier: BSD-3-Clause
// A recorded collective: the steps of one rank as a list, which runs as an ordinary request.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "coll/node/one_shot.h"
#include "coll/node/walk.h"
#include "coll/select.h"
#include "coll/state.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/call_signature.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/core/request.h"
#include "pml/pml.h"

namespace ompi_lite::coll {

// What two nonblocking calls have to share so that the steps of one serve the other: all but the addresses.
struct CallKey {
  Operation operation;
  int epoch = 0;  // State::epoch()
  int root = 0;
  Count send_count = 0, receive_count = 0;
  const Datatype *send_type = nullptr, *receive_type = nullptr;
  const Op* op = nullptr;
  bool in_place = false;
  bool operator==(const CallKey&) const = default;
};

// The buffers of a call, by which the steps of an earlier one are moved.
struct CallAddresses {
  const std::byte *send = nullptr, *receive = nullptr;
};

// Nonblocking and persistent collectives run the text of the blocking ones: while a Schedule records, Direct puts its steps
// into the list in place of doing them. Rounds stay rounds: their messages are under way together, and local steps are done
// where they stand between rounds.
//
// Owned by the application as its request; it keeps communicator, op and types alive. Guarded by the process lock. While it
// is active, the process's Schedules (schedule.cc) advance it at every turn of progress. A nonblocking one with predefined
// types and op is kept by the communicator's State when it is done, and serves the next equal call with other buffers.
class Schedule final : public Request {
 public:
  explicit Schedule(Communicator& of);

  // ---- recording ----
  // The steps that follow belong to this communicator, the schedule's own or one that lives as long, and to this tag.
  void begin(Communicator& of, Operation operation, int tag, CallSignature signature = {}) {
    steps_of_ = &of;
    operation_ = operation;
    tag_ = tag;
    ++begun_;
    signature_ = signature;
    calls_.push_back({&of, tag, signature});
  }
  // Where a slot of the steps that follow lies; null: its parts carry addresses of the schedule's own memory.
  void binds(Slot slot, const std::byte* data) { note_base(slot, data); }
  void reduces_with(Op& op, const Kernel& kernel);
  // A place is a buffer and the slot that it lies in.
  struct Place {
    Place(const Buffer& at = {}, Slot in = Slot::scratch) : buffer(at), slot(in) {}
    Buffer buffer;
    Slot slot;
  };
  void add_send(const Place& data, int peer) { add({Step::Kind::send, peer, keep(data), {}, {}}); }
  void add_recv(const Place& data, int peer) { add({Step::Kind::recv, peer, keep(data), {}, {}}); }
  void add_end_round() { add({Step::Kind::end_round, 0, {}, {}, {}}); }
  void add_copy(const Place& from, const Place& to) { add({Step::Kind::copy, 0, keep(from), keep(to), {}}); }
  void add_reduce(const Place& a, const Place& b) { add({Step::Kind::reduce, 0, keep(a), b, {}}); }  // b = a op b
  void add_reduce_copy(const Place& a, const Place& b, const Place& c) {
    add({Step::Kind::reduce_copy, 0, keep(a), b, c});
  }  // c = a op b
  // The whole call goes through the node's slots, or its cells: there are no steps.
  void add_node_call(const node::Call& call, bool in_cells);
  bool in_cells() const { return node_way_ == NodeWay::cells; }
  bool small_has_begun() const { return node_stage_ == NodeStage::begun; }
  std::uint64_t small_number() const { return ticket_.number; }  // once it has begun, in slots
  Arena& arena() { return arena_; }                              // temporary memory for as long as the schedule lives
  // What to do when all steps have succeeded, before the request is complete.
  void then(void (*run)(void* context), void* context) {
    then_ = run;
    then_context_ = context;
  }

  // ---- serving again ----
  // After recording: lets the schedule serve equal calls later. It stays single-use if its steps cannot be moved.
  void serves(const CallKey& key, const CallAddresses& addresses);
  const CallKey& key() const { return key_; }
  // A kept schedule becomes the request of a new call.
  void serve_again(Communicator& of, const CallAddresses& addresses, int tag);
  static void discard(Schedule* kept) { delete kept; }

  // ---- running ----
  Error start_now();
  bool advance();  // goes on as far as it can; true if anything moved

 private:
  struct Step {
    enum class Kind : std::uint8_t { send, recv, end_round, copy, reduce, reduce_copy } kind;
    int peer;
    Place a, b, c;
    Communicator* comm = nullptr;
    int tag = 0;
    CallSignature signature{};
    pml::Envelope envelope() const { return {*comm, peer, tag, Plane::collective, signature}; }
  };
  // What the schedule consists of, so that others can compare: one collective, or several with MPI_Comm_idup.
  struct Call {
    Communicator* comm;
    int tag;
    CallSignature signature;
  };
  struct Pending {
    Request* request;
    int peer;
    bool receives;
    Count bytes;
    pml::Envelope with;
  };

  ~Schedule();
  void add(Step step) {
    step.comm = steps_of_;
    step.tag = tag_;
    step.signature = signature_;
    steps_.push_back(step);
  }
  const Place& keep(const Place& data);
  CountSpan kept_numbers(CountSpan numbers);
  void note_base(Slot slot, const std::byte* data);
  void move(Slot slot, const std::byte* from, const std::byte* to);
  bool keep_for_later();
  Error run_local(const Step& step);
  Error post(const Step& step);
  bool collect_round();
  void notice_others();
  bool on_node() const { return node_way_ != NodeWay::none; }
  bool advance_on_node(bool& moved);
  bool advance_in_slots(node::Region& region);
  bool advance_in_cells(bool& moved);
  bool wait_for(int rank);
  void fail_on_node(const Error& error);
  void ask_again();
  void fail(const Error& error);
  void end();

  static Error start(Request& request);
  static Error refuse_cancel(Request& request);
  static Error finish(Request& request);
  static void destroy(Request& request);
  static flight::WaitFacts facts(const Request& request);
  static const RequestOps kOps;

  pml::Pml& pml_;
  Communicator* steps_of_;
  Operation operation_ = Operation::barrier;
  int tag_ = 0;
  CallSignature signature_;
  std::vector<Call> calls_;
  void (*then_)(void* context) = nullptr;
  void* then_context_ = nullptr;
  Op* op_ = nullptr;
  Kernel kernel_{};
  std::vector<Step> steps_;
  std::vector<Datatype*> types_;              // derived ones, each kept once
  std::vector<Pending> pending_, collected_;  // of the round that is under way, and of the one that has ended
  std::size_t next_ = 0;
  enum class NodeWay : std::uint8_t { none, slots, cells } node_way_ = NodeWay::none;
  enum class NodeStage : std::uint8_t { none, queued, begun } node_stage_ = NodeStage::none;
  int next_rank_ = 0;  // the first of those that have not come
  node::Call node_call_{};
  node::Region::Ticket ticket_;
  std::optional<node::Walk> walk_;  // while it is under way
  pml::Patience patience_;          // with the round that is under way
  bool failed_ = false;
  int begun_ = 0;        // calls that were recorded into it
  bool movable_ = true;  // each slot has one base, which is a buffer of the call or none
  bool reusable_ = false;
  const std::byte* bases_[2] = {};  // of the slots send and receive
  bool based_[2] = {};
  CallKey key_{};
  CallAddresses addresses_;
  std::string error_text_;
  std::vector<std::vector<Count>> numbers_;  // counts and displacements of a call on the node
  Arena arena_;
};

}  // namespace ompi_lite::coll
