// SPDX-License-Identifier: BSD-3-Clause
// Memory and state of the collectives on a communicator.
#include "coll/state.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "coll/model.h"
#include "coll/node/region.h"
#include "coll/on_device.h"
#include "coll/schedule.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/node_numbers.h"
#include "pml/pml.h"

namespace ompi_lite::coll {

std::byte* Arena::take_slowly(std::size_t bytes) {
  const std::size_t last = chunks_.empty() ? kFirst / 2 : chunks_.back().bytes;
  const std::size_t size = std::max(bytes, std::min(2 * last, kKept));  // a multiple of kLine, as all three are
  void* memory = std::aligned_alloc(kLine, size);
  if (memory == nullptr) return nullptr;
  chunks_.push_back({static_cast<std::byte*>(memory), size});
  next_ = chunks_.back().memory;
  left_ = size;
  return take(bytes);
}

void Arena::release(std::size_t keep) {
  while (chunks_.size() > keep) {
    std::free(chunks_.back().memory);
    chunks_.pop_back();
  }
  next_ = nullptr;
  left_ = 0;
}

void Arena::reset() {
  if (chunks_.empty()) return;
  if (chunks_.size() > 1 || chunks_.front().bytes > kKept) {
    const auto kept =
        std::ranges::max_element(chunks_, {}, [](const Chunk& chunk) { return chunk.bytes <= kKept ? chunk.bytes : 0; });
    std::iter_swap(chunks_.begin(), kept);
    release(chunks_.front().bytes <= kKept ? 1 : 0);
    if (chunks_.empty()) return;
  }
  next_ = chunks_.front().memory;
  left_ = chunks_.front().bytes;
}

State::State(Communicator& comm, const ForcedAlgorithms& forced)
    : log_(pml::log_of(comm)),
      region_settled_(!node::Region::possible(comm) || device_collectives.value()),
      one_node_(node::Region::possible(comm)),
      share_cores_(one_node_ && pml::of(comm).blocking().waiter().crowded()),
      forced_(forced) {
  if (share_cores_) cores_ = usable_processors(*comm.home().segment);
  if (!one_node_ && !comm.is_inter()) find_hosts(comm);
}
State::~State() { forget_kept(); }

void State::find_hosts(const Communicator& comm) {
  const std::vector<int>& node_of_peer = comm.home().node_of_peer;
  std::vector<int> nodes;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const auto peer = static_cast<std::size_t>(comm.peer(rank));
    if (peer >= node_of_peer.size()) return;  // of another world: its ranks would see other hosts than we do
    nodes.push_back(node_of_peer[peer]);
  }
  HostMap map(nodes);
  if (map.hosts() > 1) hosts_ = std::move(map);
}

void State::forget_kept() {
  for (Schedule* schedule : std::exchange(kept_, {})) Schedule::discard(schedule);
}

void State::force(const ForcedAlgorithms& forced) {
  forced_ = forced;
  slots_at_once_ = region_ != nullptr && forced_.none();
  remembered_ = {};
  trials_.fill(Trial());
  forget_kept();
}

bool State::keep(Schedule& schedule) {
  constexpr std::size_t kMost = 8;
  if (kept_.size() == kMost) {
    Schedule::discard(kept_.front());
    kept_.erase(kept_.begin());
  }
  kept_.push_back(&schedule);
  return true;
}

Schedule* State::take_kept(const CallKey& key) {
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [&](const Schedule* each) { return each->key() == key; });
  if (found == kept_.rend()) return nullptr;
  Schedule* schedule = *found;
  kept_.erase(std::next(found).base());
  ++served_again_;
  return schedule;
}

// The slots of the node need the exact size, the choice among the others depends on the rounded one alone.
Choice State::remembered(Communicator& comm, const Question& question, CallSignature signature) {
  if (question.node_capacity >= 0 || !forced_.none()) {
    const Choice choice = select_at_once(question, forced_);
    if (!choice.automatic()) return choice;
  }
  if (question.ranks == 1 || !settle_numbers(comm, question, signature)) return select(question, {});
  if (!question.exact) return unchanging(question);
  return question.cells ? cells_or_messages(comm, question, signature) : by_messages(question);
}

namespace {

std::uint64_t kind_of_call(const Question& question) {
  const auto bytes = static_cast<std::uint64_t>(rounded_bytes(question.bytes));
  return bytes << 9 | static_cast<std::uint64_t>(question.operation) << 4 | (question.fixed_order ? 8u : 0u) |
         (question.commutative ? 4u : 0u) | (question.plain ? 2u : 0u) | 1u;
}
std::size_t place_of(std::uint64_t kind) { return (kind * 0x9e3779b97f4a7c15u) >> 59; }  // of 32

}  // namespace

// False: not yet. A job that only starts and meets in a barrier reads no file. What is measured while the job runs counts
// for calls alone that give the same result whatever way they go.
bool State::settle_numbers(Communicator& comm, const Question& question, CallSignature signature) {
  constexpr int kBarriersBefore = 3;
  constexpr double kWorthIt = 1;  // seconds: measuring takes less than a quarter of one
  if (!numbers_found_) {
    if (question.operation == Operation::barrier && ++calls_without_numbers_ < kBarriersBefore) return false;
    numbers_found_ = true;
    find_numbers(comm);
  }
  if (recording_ == nullptr && question.exact && forced_.none()) {
    effort_ += 10e-6 + 0.1e-9 * static_cast<double>(question.bytes) * comm.size();
    if (effort_ > kWorthIt) [[unlikely]]
      renew_numbers(comm, signature);
  }
  return true;
}

Choice State::by_messages(const Question& question) {
  const MachineNumbers& numbers = question.exact ? exact_numbers_ : numbers_;
  return remembered_.find(question, true, [&] { return select_messages(question, numbers); });
}

// A sum that is rounded must not change its last bits from call to call: nothing is tried, and nothing depends on what the
// communicator has got by now. Where the node's shared memory would serve, but is not there yet, only such messages do as
// reduce in the same order.
Choice State::unchanging(const Question& question) {
  Question with_all = question;
  if (one_node_) with_all.node_capacity = node::Region::capacity(question.ranks);
  with_all.cells = one_node_;
  Choice best = select_at_once(with_all, {});
  if (best.automatic()) best = remembered_.find(with_all, false, [&] { return select(with_all, {}, numbers_); });
  if (best.cells() && question.cells) return best;
  if (!best.of_node()) return best;
  Question ordered = question;
  ordered.fixed_order = true;
  return by_messages(ordered);
}

namespace {

// By the numbers; certain if one way takes several times as long.
Trial::Expected expected_way(const Question& question, const Choice& messages, const MachineNumbers& numbers) {
  constexpr double kCertain = 4;
  Question rounded = question;
  rounded.bytes = rounded_bytes(question.bytes);
  const auto time = [&](int number, Count parameter) {
    return predicted_time(rounded, algorithm_row(question.operation, number)->cost(rounded, parameter), numbers);
  };
  const double cells = time(kCellsAlgorithm, 0), by_messages = time(messages.algorithm, messages.parameter);
  return {by_messages < cells ? 1 : 0, std::max(cells, by_messages) > kCertain * std::min(cells, by_messages)};
}

}  // namespace

// What is faster depends on how dear it is for one core to read what another has written, and on much else that numbers do
// not tell: calls of a kind are tried both ways, unless the numbers leave no doubt.
Choice State::cells_or_messages(Communicator& comm, const Question& question, CallSignature signature) {
  constexpr Choice kCells{kCellsAlgorithm, 0};
  const AlgorithmRow* cells = algorithm_row(question.operation, kCellsAlgorithm);
  if (cells == nullptr || !cells->legal(question, 0)) return by_messages(question);
  const std::uint64_t kind = kind_of_call(question);
  Trial& trial = trials_[place_of(kind)];
  if (recording_ != nullptr) {  // nothing is tried in calls that are not waited for
    const bool known = trial.key() == kind && trial.settled();
    return (known ? trial.way() == 0 : question.share_cores) ? kCells : by_messages(question);
  }
  if (trial.key() != kind) {
    trial = Trial(kind, expected_way(question, by_messages(question), exact_numbers_));
    if (trial.settled()) ++epoch_;
  }
  if (!trial.settled() && trial.done()) {
    begin_on_node(comm, signature);
    auto times = trial.times();
    if (region_->largest(times)) return kCells;  // a rank is in another collective: the call finds that too
    trial.settle(times);
    ++epoch_;
    OL_LOG(debug, "%s of about %lld bytes: %.2f us in cells, %.2f us by messages", mpi_name(question.operation),
           static_cast<long long>(rounded_bytes(question.bytes)), trial.least(times, 0) * 1e6, trial.least(times, 1) * 1e6);
  }
  const Choice choice = trial.way() == 0 ? kCells : by_messages(question);
  if (!trial.settled()) {
    trial_ = &trial;
    trial.begin();
  }
  return choice;
}

// The slots compare for themselves; the log is for ranks that take the call another way, because their counts differ.
void State::begin_on_node(Communicator& comm, CallSignature signature) {
  // Ranks start collectives in one order, so what is under way can end before this one begins.
  if (small_count_.load(std::memory_order_relaxed) != 0) [[unlikely]]  // the lock orders it
    pml::of(comm).blocking().until(
        [this] { return small_count_.load(std::memory_order_acquire) == 0; });  // partner: leave_small
  const int tag = next_tag();
  pml::of(comm).begin_collective(comm, tag, signature);
  region_->declare(tag, signature);
}

void State::settle_region(Communicator& comm, const Question& question, CallSignature signature, bool at_once) {
  constexpr int kCallsBefore = 3;  // a communicator that lives for one or two calls is not worth a region
  if (algorithm_row(question.operation, kNodeAlgorithm) == nullptr) return;
  const Choice forced = forced_.of(question);
  if (!forced.of_node() && !at_once && ++calls_before_ < kCallsBefore) return;
  Schedule* const recording = std::exchange(recording_, nullptr);  // making it takes collectives of its own
  ++epoch_;
  region_settled_ = true;
  region_ = node::Region::make(comm, signature);
  node_capacity_ = node::Region::capacity(comm.size());
  slots_at_once_ = region_ != nullptr && forced_.none();
  recording_ = recording;
}

// Calls that start later go through the node's slots and cells if there are any. Those that describe a persistent one may
// make them: they are allowed to wait for the other ranks (MPI 4.1, section 6.13), and the call will be made often.
void State::prepare_recording(Communicator& comm, Question& question, CallSignature signature) {
  if (!recording_alone_ || uneven(question.operation)) return;
  if (recording_->persistent && !region_settled_) settle_region(comm, question, signature, true);
  if (!region_ || log_.found()) return;
  question.node_capacity = node_capacity_;
  if (recording_->persistent && !cells_settled_) settle_cells(comm, question, signature, true);
  question.cells = has_cells_;
}

Error State::record_on_node(Communicator& comm, const node::Call& call, bool in_cells) {
  recording_->begin(comm, call.operation, next_tag(), take_signature({}));
  recording_->add_node_call(call, in_cells);
  return {};
}

void State::join_small(Schedule& schedule) {
  small_calls_.push_back(&schedule);
  small_count_.store(small_calls_.size(), std::memory_order_release);  // partner: begin_on_node
}
void State::leave_small(Schedule& schedule) {
  std::erase(small_calls_, &schedule);
  small_count_.store(small_calls_.size(), std::memory_order_release);  // partner: begin_on_node
}

// In order, and few after the oldest that is not over: calls end in any order, but slots are taken again by number. A call
// through the cells takes several numbers and is under way alone.
bool State::may_begin_small(const Schedule& schedule) {
  const Schedule& oldest = *small_calls_.front();
  if (&oldest == &schedule) return region_->may_begin();
  if (schedule.in_cells() || oldest.in_cells()) return false;
  const auto place = std::find(small_calls_.begin(), small_calls_.end(), &schedule);
  if (!(*std::prev(place))->small_has_begun()) return false;
  return oldest.small_number() + node::Region::kUnderWay > region_->number() + 1 && region_->may_begin();
}

void State::settle_cells(Communicator& comm, const Question& question, CallSignature signature, bool at_once) {
  constexpr int kCallsBefore = 2;
  const bool forced = forced_.of(question).cells();
  if (!forced && slot_need(question) <= node_capacity_) return;
  if (algorithm_row(question.operation, kCellsAlgorithm) == nullptr) return;
  if (!forced && !at_once && ++large_calls_before_ < kCallsBefore) return;
  cells_settled_ = true;
  ++epoch_;
  begin_on_node(comm, signature);
  has_cells_ = !region_->make_cells() && region_->has_cells();
}

State& state_of(Communicator& comm) {
  if (!comm.coll_state) {
    Result<ForcedAlgorithms> forced = parse_forced(forced_algorithms.value());  // start-up has refused a bad text
    comm.coll_state = std::make_unique<State>(comm, forced ? *forced : ForcedAlgorithms{});
  }
  return static_cast<State&>(*comm.coll_state);
}

}  // namespace ompi_lite::coll
