// SPDX-License-Identifier: BSD-3-Clause
// What the collectives keep on a communicator between calls.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coll/algorithms/node.h"
#include "coll/choice_table.h"
#include "coll/host_map.h"
#include "coll/node/one_shot.h"
#include "coll/node/walk.h"
#include "coll/select.h"
#include "coll/steps.h"
#include "coll/trials.h"
#include "ompi_lite/core/call_signature.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/request.h"
#include "pml/collective_log.h"

namespace ompi_lite::coll {

class OnDevice;
class Schedule;
struct CallKey;

// Temporary memory of the collective that runs: a stack of chunks, cut off from the front and given back all at once. The
// largest chunk of up to kKept bytes stays for the next call, so small collectives allocate nothing.
class Arena {
 public:
  Arena() = default;
  ~Arena() { release(0); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Aligned to a cache line; null if there is no memory.
  std::byte* take(std::size_t bytes) {
    const std::size_t rounded = (bytes + kLine - 1) / kLine * kLine;
    if (rounded < bytes) return nullptr;
    if (rounded > left_) return take_slowly(rounded);
    left_ -= rounded;
    return std::exchange(next_, next_ + rounded);
  }
  void reset();
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Chunk& chunk : chunks_) sum += chunk.bytes;
    return sum;
  }

 private:
  static constexpr std::size_t kLine = 64, kFirst = 4096, kKept = 256 << 10;
  struct Chunk {
    std::byte* memory;
    std::size_t bytes;
  };
  std::byte* take_slowly(std::size_t bytes);
  void release(std::size_t keep);

  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  std::vector<Chunk> chunks_;  // the last one is being cut
};

// A message of the round that is being put together.
struct Message {
  enum Way : std::uint8_t { send, recv } way;
  int peer;
  Part part;
  Request* request;
};

// Guarded by the process lock; the standard lets one collective at a time run on a communicator.
class State final : public Attachment {
 public:
  State(Communicator& comm, const ForcedAlgorithms& forced);
  ~State() override;

  // The tag of the next collective. All ranks call collectives in the same order, so all count alike, and messages of
  // successive collectives cannot be taken for each other's.
  int next_tag() { return static_cast<int>(sequence_++ & 0x3fffffff); }
  // The algorithm of a call; the third call that all make together gives them their region of the node. The call is
  // known by its signature from here on.
  Choice choose(Communicator& comm, Question question, CallSignature signature) {
    if (slots_at_once_ && recording_ == nullptr && takes_slots(question, node_capacity_) && !log_.found()) [[likely]] {
      begin_on_node(comm, signature);
      return {kNodeAlgorithm, 0};
    }
    if (recording_ != nullptr) [[unlikely]] {
      prepare_recording(comm, question, signature);
    } else {
      if (!region_settled_) settle_region(comm, question, signature, false);
      // What turned out about an earlier call is said by the way over messages.
      if (region_ && !log_.found()) {
        question.node_capacity = node_capacity_;
        if (!cells_settled_) settle_cells(comm, question, signature, false);
        question.cells = has_cells_;
      }
    }
    question.share_cores = share_cores_;
    question.cores = cores_;
    question.one_node = one_node_;
    if (hosts_) {
      question.hosts = hosts_->hosts();
      question.least_on_host = hosts_->least();
    }
    const Choice choice = remembered(comm, question, signature);
    if (choice.of_node() && recording_ == nullptr) {
      begin_on_node(comm, signature);
    } else {
      signature_ = signature;
    }
    return choice;
  }
  // Does a call for which choose() gave `node`, or records it.
  template <Operation operation>
  Error run_on_node(Communicator& comm, const node::Call& call) {
    return recording_ == nullptr ? node::run<operation>(*region_, call) : record_on_node(comm, call, false);
  }
  // The same where it gave `cells`.
  Error run_in_cells(Communicator& comm, const node::Call& call) {
    return recording_ == nullptr ? node::Walk(*region_, call).run() : record_on_node(comm, call, true);
  }
  // The call that choose() was asked about is over: Timed does it.
  void end_of_call() {
    if (trial_ == nullptr) return;
    trial_->end();
    trial_ = nullptr;
  }
  // The signature that choose() was given, once; `otherwise` for calls that have no choice.
  CallSignature take_signature(CallSignature otherwise) {
    return signature_.checked() ? std::exchange(signature_, CallSignature()) : otherwise;
  }
  const HostMap* hosts() const { return hosts_ ? &*hosts_ : nullptr; }
  pml::CollectiveLog& log() { return log_; }
  node::Region& region() { return *region_; }  // after choose() gave `node` or `cells`
  const ForcedAlgorithms& forced() const { return forced_; }
  void force(const ForcedAlgorithms& forced);         // in place of the knob's, for tests
  Schedule* recording() const { return recording_; }  // takes the steps of the call that is being made; null: they are done
  // Calls go by messages alone, and will.
  bool by_messages() const { return region_settled_ && !region_; }
  OnDevice* device() const { return device_; }  // what the call that is being made works on; null: host memory
  void set_device(OnDevice* device) { device_ = device; }
  // `alone`: with the steps of one call, which may go through the node's slots.
  void record_into(Schedule* schedule, bool alone = false) {
    recording_ = schedule;
    recording_alone_ = alone;
  }
  // Recorded calls through the node's slots and cells, in the order of their starts: those that are begun, then those that
  // wait.
  void join_small(Schedule& schedule);
  void leave_small(Schedule& schedule);
  bool may_begin_small(const Schedule& schedule);
  // Changes when calls that were recorded before would be recorded otherwise now.
  int epoch() const { return epoch_; }
  // Schedules that are done and may serve equal calls: the most recent ones.
  bool keep(Schedule& schedule);
  Schedule* take_kept(const CallKey& key);  // null: there is none; else the caller's
  int served_again() const { return served_again_; }
  Arena& arena() { return arena_; }
  std::array<Message, kRoundMost>& round() { return round_; }
  std::string& error_text() { return error_text_; }

 private:
  void settle_region(Communicator& comm, const Question& question, CallSignature signature, bool at_once);
  void prepare_recording(Communicator& comm, Question& question, CallSignature signature);
  Error record_on_node(Communicator& comm, const node::Call& call, bool in_cells);
  void settle_cells(Communicator& comm, const Question& question, CallSignature signature, bool at_once);
  void begin_on_node(Communicator& comm, CallSignature signature);
  Choice remembered(Communicator& comm, const Question& question, CallSignature signature);
  Choice cells_or_messages(Communicator& comm, const Question& question, CallSignature signature);
  Choice by_messages(const Question& question);
  Choice unchanging(const Question& question);
  void find_hosts(const Communicator& comm);
  void find_numbers(const Communicator& comm);
  bool settle_numbers(Communicator& comm, const Question& question, CallSignature signature);
  void renew_numbers(Communicator& comm, CallSignature signature);
  void forget_kept();

  pml::CollectiveLog& log_;
  CallSignature signature_;
  std::uint32_t sequence_ = 0;
  int calls_before_ = 0, large_calls_before_ = 0;  // that the region, the cells would have served
  bool region_settled_;                            // there is one, or there will be none
  bool slots_at_once_ = false;                     // there is one, and nothing is forced
  bool one_node_, share_cores_;
  int cores_ = 2;                 // where they are shared
  std::optional<HostMap> hosts_;  // if there are several
  bool cells_settled_ = false, has_cells_ = false;
  Count node_capacity_ = -1;
  std::unique_ptr<node::Region> region_;
  ForcedAlgorithms forced_;
  // By which calls choose whose last bits must not change from one to the next, and the others. The same at all ranks.
  MachineNumbers numbers_, exact_numbers_;
  bool numbers_found_ = false;
  int calls_without_numbers_ = 0;
  double effort_ = 0;  // seconds that calls by messages took, about: it is worth measuring when they are many
  ChoiceTable remembered_;
  std::array<Trial, 32> trials_;  // by a hash of the call
  Trial* trial_ = nullptr;        // the call that is being made belongs to it
  Schedule* recording_ = nullptr;
  bool recording_alone_ = false;
  OnDevice* device_ = nullptr;
  std::vector<Schedule*> small_calls_;
  std::atomic<std::size_t> small_count_{0};  // of them; whoever waits for none reads it without the lock
  std::vector<Schedule*> kept_;              // oldest first
  int served_again_ = 0;
  int epoch_ = 0;  // counts what was settled
  Arena arena_;
  std::array<Message, kRoundMost> round_;  // here, so that no call has to clear it
  std::string error_text_;                 // sentence of the first error of the call, while the others are still served
};

State& state_of(Communicator& comm);

// Around a call that may be made in the node's cells or by messages, from choose() on.
class Timed {
 public:
  explicit Timed(State& state) : state_(state) {}
  ~Timed() { state_.end_of_call(); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  State& state_;
};

}  // namespace ompi_lite::coll
