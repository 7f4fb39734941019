// SPDX-License-Identifier: BSD-3-Clause
// Running recorded collectives.
#include "coll/schedule.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "coll/compare.h"
#include "coll/direct.h"
#include "coll/node/region.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/progress.h"
#include "ompi_lite/core/handle.h"
#include "ompi_lite/core/pack.h"

namespace ompi_lite::coll {

namespace {

// The schedules that are under way in a process: one poller for all of them. Owned by the CommunicatorHome.
class Schedules final : public Attachment {
 public:
  explicit Schedules(Progress& progress) : progress_(progress) { progress_.add({poll, this}); }
  ~Schedules() override { progress_.remove(this); }
  void add(Schedule& schedule) { active_.push_back(&schedule); }
  void remove(Schedule& schedule) { std::erase(active_, &schedule); }

 private:
  static bool poll(void* context) {
    auto& self = *static_cast<Schedules*>(context);
    bool moved = false;
    // By index: a schedule that ends takes itself out, and a user's op may start another one.
    for (std::size_t i = 0; i < self.active_.size();) {
      Schedule* schedule = self.active_[i];
      moved |= schedule->advance();
      if (i < self.active_.size() && self.active_[i] == schedule) ++i;
    }
    return moved;
  }

  Progress& progress_;
  std::vector<Schedule*> active_;
};

Schedules& schedules_of(Communicator& comm) {
  std::unique_ptr<Attachment>& slot = comm.home().coll_engine;
  if (!slot) slot = std::make_unique<Schedules>(pml::of(comm).blocking().progress());
  return static_cast<Schedules&>(*slot);
}

}  // namespace

const RequestOps Schedule::kOps{start, refuse_cancel, finish, destroy, nullptr, facts};

Schedule::Schedule(Communicator& of) : Request(RequestKind::collective), pml_(pml::of(of)), steps_of_(&of) {
  ops = &kOps;
  blocking = &pml_.blocking();
  comm = retain(&of);
  active = false;
}

Schedule::~Schedule() {
  for (Datatype* type : types_) release(type);
  release(op_);
  release(comm);
}

void Schedule::reduces_with(Op& op, const Kernel& kernel) {
  if (op_ != nullptr) return;
  op_ = retain(&op);
  kernel_ = kernel;
}

const Schedule::Place& Schedule::keep(const Place& data) {
  Datatype* type = data.buffer.type;
  if (type != nullptr && !type->predefined && std::find(types_.rbegin(), types_.rend(), type) == types_.rend())
    types_.push_back(retain(type));
  return data;
}

void Schedule::note_base(Slot slot, const std::byte* data) {
  if (slot == Slot::scratch) return;
  const auto i = static_cast<std::size_t>(slot);
  if (based_[i] && bases_[i] != data) movable_ = false;
  based_[i] = true;
  bases_[i] = data;
}

// Only predefined types and ops: others may be freed and made again at the same address.
void Schedule::serves(const CallKey& key, const CallAddresses& addresses) {
  constexpr std::size_t kMostSteps = 512, kMostScratch = 64 << 10;
  const auto known = [&](const std::byte* base) {
    return base == nullptr || base == addresses.send || base == addresses.receive;
  };
  const bool small = steps_.size() <= kMostSteps && arena_.bytes() <= kMostScratch;
  const bool plain = types_.empty() && (op_ == nullptr || op_->op_kind != OpKind::user);
  const bool apart = addresses.send == nullptr || addresses.send != addresses.receive;
  reusable_ = begun_ == 1 && movable_ && apart && small && plain && known(bases_[0]) && known(bases_[1]);
  key_ = key;
  addresses_ = addresses;
}

void Schedule::move(Slot slot, const std::byte* from, const std::byte* to) {
  const std::ptrdiff_t way =
      static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from));
  if (way == 0) return;
  const auto carry = [way](Buffer& buffer) {
    if (buffer.data != nullptr) buffer.data += way;  // else there is none at this rank, or it is the other one in place
  };
  for (Step& step : steps_) {
    for (Place* place : {&step.a, &step.b, &step.c}) {
      if (place->slot == slot) carry(place->buffer);
    }
  }
  bases_[static_cast<std::size_t>(slot)] = to;
  if (!on_node()) return;
  if (slot == Slot::receive) carry(node_call_.receive);
  if (slot == Slot::send || node_call_.in_place) carry(node_call_.send);
}

void Schedule::serve_again(Communicator& of, const CallAddresses& addresses, int tag) {
  for (Slot slot : {Slot::send, Slot::receive}) {
    const std::byte* base = bases_[static_cast<std::size_t>(slot)];
    if (base == nullptr) continue;
    move(slot, base, base == addresses_.send ? addresses.send : addresses.receive);
  }
  addresses_ = addresses;
  comm = retain(&of);
  magic = kLiveMagic;
  tag_ = tag;
  for (Step& step : steps_) step.tag = tag;
  for (Call& call : calls_) call.tag = tag;
}

// As far as the communicator lives on for others and the state has room.
bool Schedule::keep_for_later() {
  if (!reusable_ || failed_ || comm == nullptr || comm->refs.load(std::memory_order_relaxed) < 2)
    return false;  // we hold one
  if (!state_of(*comm).keep(*this)) return false;
  refs.store(1, std::memory_order_relaxed);  // nobody else knows it
  active = false;
  released = false;
  forget_int(*this);
  handles = 0;
  magic = kFreedMagic;  // a stale handle is found out as that of a freed request is
  release(std::exchange(comm, nullptr));
  return true;
}

Error Schedule::start(Request& request) { return static_cast<Schedule&>(request).start_now(); }

Error Schedule::start_now() {
  complete.store(false, std::memory_order_relaxed);  // nobody waits for it yet
  active = true;
  error = {};
  failed_ = false;
  next_ = 0;
  patience_ = {};
  set_status_empty(status);
  for (const Call& call : calls_) pml_.begin_collective(*call.comm, call.tag, call.signature);
  if (on_node()) {
    node_stage_ = NodeStage::queued;
    next_rank_ = 0;
    state_of(*comm).join_small(*this);
    bool moved = false;
    if (!advance_on_node(moved)) schedules_of(*comm).add(*this);
    return {};
  }
  schedules_of(*comm).add(*this);
  advance();
  return {};
}

bool Schedule::advance() {
  bool moved = false;
  if (on_node()) return advance_on_node(moved) || moved;
  for (;;) {
    if (!failed_) notice_others();
    if (!pending_.empty()) {
      if (!collect_round()) {
        ask_again();
        return moved;
      }
      moved = true;
      patience_ = {};
    }
    if (failed_ || next_ == steps_.size()) break;
    // Up to the end of the next round: what is local is done, messages get under way.
    while (next_ < steps_.size() && !failed_) {
      const Step& step = steps_[next_++];
      moved = true;
      if (step.kind == Step::Kind::end_round) break;
      const bool message = step.kind == Step::Kind::send || step.kind == Step::Kind::recv;
      if (Error error_of_step = message ? post(step) : run_local(step)) fail(error_of_step);
    }
  }
  end();
  return true;
}

void Schedule::add_node_call(const node::Call& call, bool in_cells) {
  node_way_ = in_cells ? NodeWay::cells : NodeWay::slots;
  node_call_ = call;
  // What the standard calls not significant may be anything.
  const bool at_root = comm->rank() == call.root;
  if (call.operation == Operation::gather && !at_root) node_call_.receive = {};
  if (call.operation == Operation::scatter && !at_root) node_call_.send = {};
  if (call.in_place && call.op == nullptr)
    (call.operation == Operation::scatter ? node_call_.receive : node_call_.send) = {};
  node_call_.counts = kept_numbers(call.counts);
  node_call_.displacements = kept_numbers(call.displacements);
  keep(node_call_.send);
  keep(node_call_.receive);
  if (call.op != nullptr) reduces_with(*call.op, {});
  // In place the two are one, but for a scatter, whose root then receives nothing.
  if (!call.in_place || call.operation == Operation::scatter) note_base(Slot::send, node_call_.send.data);
  note_base(Slot::receive, node_call_.receive.data);
}

// A copy of one number for each rank.
CountSpan Schedule::kept_numbers(CountSpan numbers) {
  if (!numbers) return {};
  numbers_.emplace_back();
  for (int rank = 0; rank < comm->size(); ++rank) numbers_.back().push_back(numbers[rank]);
  return CountSpan(numbers_.back().data());
}

// True when it is over.
bool Schedule::advance_on_node(bool& moved) {
  State& state = state_of(*comm);
  node::Region& region = state.region();
  if (node_stage_ == NodeStage::queued) {
    if (!state.may_begin_small(*this)) return false;
    region.declare(tag_, signature_);
    node_stage_ = NodeStage::begun;
    moved = true;
    if (in_cells()) {
      walk_.emplace(region, node_call_);
    } else {
      const Error shown = node::show(region, node_call_);
      ticket_ = region.ticket();
      if (shown) fail_on_node(shown);
    }
  }
  if (!failed_ && !(in_cells() ? advance_in_cells(moved) : advance_in_slots(region))) return false;
  node_stage_ = NodeStage::none;
  walk_.reset();
  state.leave_small(*this);
  end();
  return true;
}

bool Schedule::advance_in_slots(node::Region& region) {
  const node::RankRun ranks = node::awaited(region, node_call_);
  next_rank_ = std::max(next_rank_, ranks.first);
  if (!region.arrived(ticket_, next_rank_, ranks.end) && wait_for(next_rank_)) return false;
  if (failed_) return true;
  Error wrong = region.compare(ticket_, ranks.first, ranks.end);
  if (!wrong) wrong = node::take(region, ticket_.number, node_call_);
  if (wrong) fail_on_node(wrong);
  return true;
}

bool Schedule::advance_in_cells(bool& moved) {
  bool got_on = false;
  if (const Error wrong = walk_->advance(got_on)) fail_on_node(wrong);
  moved |= got_on;
  if (got_on) patience_ = {};
  return failed_ || walk_->over() || !wait_for(walk_->awaited());
}

// A rank has not come. False: because it is in another collective.
bool Schedule::wait_for(int rank) {
  pml::CollectiveLog& log = pml::log_of(*comm);
  if (log.found()) [[unlikely]] {
    fail_on_node(mismatch(log.take(), comm->rank()));
    return false;
  }
  if (!patience_.over()) return true;
  patience_.renew();
  if (signature_.checked()) pml_.ask({*comm, rank, tag_, Plane::collective, signature_});
  return true;
}

// What the others wait for is shown: nobody has to be told.
void Schedule::fail_on_node(const Error& why) {
  failed_ = true;
  error_text_ = why.sentence();  // the sentence may lie in a buffer that the next error overwrites
  error = Error(why.error_class(), "a collective failed");
}

Error Schedule::post(const Step& step) {
  Request* posted = nullptr;
  const pml::Envelope with = step.envelope();
  const bool receives = step.kind == Step::Kind::recv;
  const Buffer& data = step.a.buffer;
  OL_TRY(receives ? pml_.irecv(data, with, posted) : pml_.isend(pml::SendMode::standard, data, with, posted));
  pending_.push_back({posted, step.peer, receives, data.count == 0 ? 0 : pack_size(data), with});
  return {};
}

Error Schedule::run_local(const Step& step) {
  const Buffer& a = step.a.buffer;
  std::byte* const b = step.b.buffer.data;
  std::byte* const c = step.c.buffer.data;
  if (step.kind == Step::Kind::copy) return copy_checked(operation_, comm->rank(), a, step.b.buffer);
  if (step.kind == Step::Kind::reduce) {
    if (!kernel_) return ompi_lite::reduce(*op_, *a.type, a.data, b, a.count);
    kernel_.two(a.data, b, a.count);
    return {};
  }
  if (!kernel_) return reduce3(*op_, *a.type, a.data, b, c, a.count);
  kernel_.three(a.data, b, c, a.count);
  return {};
}

// False while a message of the round is still under way.
bool Schedule::collect_round() {
  const auto waits = [](const Pending& each) { return !each.request->done(); };
  if (std::any_of(pending_.begin(), pending_.end(), waits)) return false;
  collected_.clear();
  collected_.swap(pending_);  // a failure posts new ones
  for (Pending& each : collected_) {
    MPI_Status arrived{};
    Request* done = each.request;
    const Error of_message = take_completion(done, &arrived);
    if (failed_) continue;
    if (each.receives) {
      if (Error wrong = compare_arrival(operation_, each.peer, comm->rank(), each.bytes, of_message, arrived)) fail(wrong);
    } else if (of_message) {
      fail(of_message);
    }
  }
  return true;
}

void Schedule::notice_others() {
  for (const Call& call : calls_) {
    pml::CollectiveLog& log = pml::log_of(*call.comm);
    if (log.found()) [[unlikely]]
      return fail(mismatch(log.take(), call.comm->rank()));
  }
}

// The round waits: whoever does not send is asked now and then whether it is in the same collective.
void Schedule::ask_again() {
  if (failed_ || !patience_.over()) return;
  patience_.renew();
  for (const Pending& each : pending_)
    if (each.receives && !each.request->done() && each.with.signature.checked()) pml_.ask(each.with);
}

// As Direct does: every peer gets an empty message, which ends its wait for us; what we wait for is given up.
void Schedule::fail(const Error& why) {
  if (failed_) return;
  failed_ = true;
  error_text_ = why.sentence();  // the sentence may lie in a buffer that the next error overwrites
  error = Error(why.error_class(), "a collective failed");
  for (Pending& each : pending_) {
    if (each.request->done()) continue;
    if (Error untold = each.request->ops->cancel(*each.request)) OL_LOG(debug, "cancel: %s", untold.sentence());
  }
  const Buffer nothing(nullptr, 0, &datatype_of(MPI_BYTE));
  for (int peer = 0; peer < comm->remote_size(); ++peer) {
    if (!comm->is_inter() && peer == comm->rank()) continue;
    if (Error untold = post({Step::Kind::send, peer, {nothing}, {}, {}, comm, tag_, signature_}))
      OL_LOG(debug, "rank %d: %s", peer, untold.sentence());
  }
  pml::of(*comm).give_up_collective(*comm, tag_);
}

void Schedule::end() {
  for (const Call& call : calls_) pml::log_of(*call.comm).leave(call.tag);
  schedules_of(*comm).remove(*this);
  if (then_ != nullptr && !failed_) then_(then_context_);
  const bool freed = released;
  complete.store(true, std::memory_order_release);  // partner: Request::done
  if (freed) release(static_cast<Request*>(this));
}

Error Schedule::refuse_cancel(Request&) { return Error(ErrorClass::request, "a collective operation cannot be cancelled"); }

Error Schedule::finish(Request& request) {
  auto& self = static_cast<Schedule&>(request);
  return self.failed_ ? make_error(self.error.error_class(), "%s", self.error_text_.c_str()) : Error();
}

flight::WaitFacts Schedule::facts(const Request& request) {
  const auto& self = static_cast<const Schedule&>(request);
  return {.context = self.comm->context(), .shape = flight::Shape::collective, .word = mpi_name(self.operation_)};
}

void Schedule::destroy(Request& request) {
  auto* self = static_cast<Schedule*>(&request);
  if (!self->keep_for_later()) delete self;
}

}  // namespace ompi_lite::coll
