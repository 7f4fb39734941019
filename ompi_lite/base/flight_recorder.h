// SPDX-License-Identifier: BSD-3-Clause
// Writes a rank's flight record, once a call, without a system call.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/flight_record.h"

namespace ompi_lite::flight {

// What is known about a call when it begins. Texts live as long as the library: they are known by their addresses.
struct CallFacts {
  const char* function = nullptr;
  std::uint64_t context = 0;
  Count count = -1;
  std::uint32_t type_bytes = 0;
  std::int32_t peer = kNoRank;
  std::int32_t tag = kNoRank;
  std::int32_t second = kNoRank;
  std::uint32_t* collective_calls = nullptr;  // of the communicator, counted here
  const char* type = nullptr;
  const char* op = nullptr;
  Shape shape = Shape::other;
};

// What a call that completes requests waits for.
struct WaitFacts {
  std::uint64_t context = 0;
  std::int32_t peer = kNoRank, tag = kNoRank, world = kNoRank;
  Shape shape = Shape::other;
  const char* word = nullptr;
};

// The writer of one rank; owned by its Process. All calls but idle() need the process lock, as the calls that it records
// hold it; so no two threads write at once, and a thread that waits without the lock has a lane of its own.
class Recorder {
 public:
  // A call that is being recorded; lane -1: more are open than there are lanes.
  struct Ticket {
    int lane = -1;
    bool again = false;  // a poll after one that found nothing: no new entry
  };

  // `memory` is zero and holds Record::bytes(calls_per_lane), a power of two; it and the clock word outlive the recorder.
  Recorder(void* memory, int calls_per_lane, const std::atomic<std::int64_t>* clock_ns);

  [[gnu::always_inline]] Ticket enter(const CallFacts& facts) {
    const Known& function = know(facts.function);
    if (open_ != 0 || in_vain_[0]) [[unlikely]]
      return enter_slowly(facts, function);
    open_ = 1;
    write(facts, function, 0);
    return {0, false};
  }
  // `nothing`: if this was a test or probe, it found nothing.
  [[gnu::always_inline]] void leave(Ticket ticket, bool nothing) {
    if (open_ != 1 || nothing || ticket.again) [[unlikely]]
      return leave_slowly(ticket, nothing);
    open_ = 0;
    record_.lanes[0].left_ns.set(clock());
    record_.lanes[0].state.set(state_of(numbers_[0], Phase::outside));
  }
  // The open call of the thread that holds the lock waits for this. A poll says it once.
  void waits_for(const WaitFacts& facts);
  bool wait_is_known() const {
    const auto lane = static_cast<std::size_t>(current_);
    return in_vain_[lane] && record_.lanes[lane].waits_call.get() == numbers_[lane];
  }
  // Which lane the running thread's call is in: whoever gives the lock up keeps it and sets it back.
  int current() const { return current_; }
  void set_current(int lane) { current_ = lane; }

  void communicator_opened(std::uint64_t context, int size, int rank, int side, const char* name);
  void communicator_closed(std::uint64_t context);
  void communicator_named(std::uint64_t context, const char* name);

  // Where the frames of messages are counted, which tell a call that gets on from one that does not.
  void count_moves(const std::atomic<std::uint64_t>& moves) { moves_ = &moves; }
  // The waiter sleeps because nothing has moved since then (any thread).
  void idle(std::int64_t since_ns) {
    record_.moves.set(moves_->load(std::memory_order_relaxed));  // a count, it orders nothing
    record_.idle_since_ns.set(since_ns);
  }
  void busy() { record_.idle_since_ns.set(0); }

 private:
  static constexpr std::size_t kKnown = 1024;  // twice the words, so that one is found soon
  struct Known {
    const char* text = nullptr;
    std::uint16_t word = 0;
    bool collective = false;  // a function that all ranks of its communicator call in the same order
    bool polls = false;       // a function that may find nothing and is called again
  };

  const Known& know(const char* text) {
    const Known& first = known_[slot(text)];
    return first.text == text ? first : find_word(text);
  }
  std::uint16_t word_of(const char* text) { return text == nullptr ? std::uint16_t{0} : know(text).word; }
  static std::size_t slot(const char* text) {
    const auto address = reinterpret_cast<std::uintptr_t>(text);
    return (address ^ address >> 10) % kKnown;
  }
  const Known& find_word(const char* text);
  static std::uint64_t state_of(std::uint64_t number, Phase phase) {
    return number << 2 | static_cast<std::uint64_t>(phase);
  }
  Ticket enter_slowly(CallFacts facts, const Known& function);
  void leave_slowly(Ticket ticket, bool nothing);

  [[gnu::always_inline]] void write(const CallFacts& facts, const Known& function, int lane) {
    const auto index = static_cast<std::size_t>(lane);
    const std::uint64_t number = ++numbers_[index];
    Call& call = calls_[index * (mask_ + 1) + (number & mask_)];
    call.stamp.store(2 * number - 1, std::memory_order_relaxed);  // odd: being written; the fence makes it the first store
    std::atomic_thread_fence(std::memory_order_release);          // partner: the acquire fence of the reader
    call.began_ns.set(clock());
    call.context.set(facts.context);
    call.count.set(facts.count);
    call.peer_tag.set(join(facts.peer, facts.tag));
    call.second_bytes.set(join(facts.second, static_cast<std::int32_t>(facts.type_bytes)));
    const bool counts = function.collective && facts.collective_calls != nullptr;
    call.sequence_unused.set(counts ? ++*facts.collective_calls : 0);
    call.words.set(function.word | std::uint64_t{word_of(facts.type)} << 16 | std::uint64_t{word_of(facts.op)} << 32 |
                   static_cast<std::uint64_t>(facts.shape) << 48);
    call.stamp.store(2 * number, std::memory_order_release);  // partner: the first load of the reader
    record_.lanes[index].state.set(state_of(number, Phase::inside));
  }
  Communicator* find_communicator(std::uint64_t context);
  std::int64_t clock() const { return clock_ns_->load(std::memory_order_relaxed); }  // a time, it orders nothing

  Record& record_;
  const std::atomic<std::int64_t>* clock_ns_;
  std::atomic<std::uint64_t> no_moves_{0};
  const std::atomic<std::uint64_t>* moves_ = &no_moves_;
  const std::uint64_t mask_;
  Call* const calls_;
  std::uint32_t open_ = 0;  // lanes with an open call, a bit each
  int current_ = 0;
  std::array<std::uint64_t, kLanes> numbers_{};  // of the newest call of each lane
  std::array<bool, kLanes> in_vain_{};           // the newest call of the lane is a test or probe, which found nothing
  std::array<Known, kKnown> known_{};
  Known overflow_{};  // stands for texts that found no room
};

}  // namespace ompi_lite::flight
