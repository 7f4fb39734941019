// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a communicator on one node share for collectives: slots with a sequence number, written by one
// rank and read by all.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "ompi_lite/base/blocking.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/base/segment.h"
#include "ompi_lite/core/call_signature.h"
#include "ompi_lite/core/communicator.h"

namespace ompi_lite::coll::node {

class Cells;

// One rank's view. Every collective has a number, the same at all ranks; for each of them every rank publishes one slot,
// which says that it has come and holds what it has for the others. A rank has kSlots of them in turn, and takes one
// again only when all have left the collective that used it. One writer for each line, no locks, no read-modify-write.
//
// Owned by the communicator's State; guarded like it. The last rank that lets go gives the memory back.
class Region {
 public:
  static constexpr int kSlots = 8;
  static constexpr int kMostRanks = 64;
  static constexpr std::size_t kSmallestPayload = 48;  // what any slot holds

  // Collective over the communicator, on whose node all its ranks are: null at all ranks if one of them has no room.
  // `signature`: of the call that all make.
  static std::unique_ptr<Region> make(Communicator& comm, CallSignature signature);
  // Bytes that a slot holds among so many ranks.
  static Count capacity(int ranks);
  static bool possible(const Communicator& comm);

  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // values[i] = the largest values[i] of all ranks; called by all ranks as a collective of its own.
  template <std::size_t n>
  Error largest(std::array<double, n>& values) {
    static_assert(sizeof values <= kSmallestPayload);
    std::memcpy(begin(), values.data(), sizeof values);
    publish();
    if (Error error = await_all()) return error;
    for (int rank = 0; rank < size_; ++rank) {
      std::array<double, n> theirs;
      std::memcpy(theirs.data(), slot_of(rank), sizeof theirs);
      for (std::size_t i = 0; i < n; ++i) values[i] = values[i] < theirs[i] ? theirs[i] : values[i];
    }
    return {};
  }
  // Takes memory for the rings of larger data, see cells.h; called by all ranks as a collective of its own. Afterwards all
  // have them or, where the node has no room, none. An error if a rank is in another collective.
  Error make_cells();
  bool has_cells() const { return cells_ != nullptr; }
  Cells& cells() { return *cells_; }

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool crowded() const { return blocking_.waiter().crowded(); }

  // Which call comes next: its number and signature.
  void declare(int tag, CallSignature signature) {
    history_ = signature_.mixed_into(history_);
    tag_ = tag;
    signature_ = signature;
  }
  // Begins it; the slot may be filled.
  std::byte* begin();
  // Shows the slot to the others, and wakes those who sleep.
  void publish();
  // Returns when this rank, or all ranks of a run, have published; an error if one of them is in another collective.
  Error await(int rank) { return await(rank, rank + 1); }
  Error await(int first, int end);
  Error await_all() {
    Error error = await(0, size_);
    all_began_ = sequence_;
    return error;
  }
  std::uint64_t number() const { return sequence_; }  // of the collective that was begun last
  // Returns when all ranks have left the collective with this number, which is not the last one begun.
  void all_left(std::uint64_t number) {
    if (number < all_began_) return;
    static_cast<void>(wait_for(0, size_, number + 1));  // what is wrong is found where this call waits
    all_began_ = number + 1;
  }
  bool have_all_left(std::uint64_t number);  // whether it would return at once
  const std::byte* slot_of(int rank) const { return slot_of(rank, sequence_); }
  const std::byte* slot_of(int rank, std::uint64_t number) const { return slot(rank, number)->data(); }

  // ---- collectives that are not waited for at once ----
  // At most kUnderWay of them are begun and not left by this rank, and none when one that waits begins, or one that takes
  // several numbers.
  static constexpr std::uint64_t kUnderWay = 2;
  // Which call a collective was.
  struct Ticket {
    std::uint64_t number = 0;
    int tag = 0;
    CallSignature signature;
    std::uint8_t history = 0;
  };
  Ticket ticket() const { return {sequence_, tag_, signature_, history_}; }
  // Whether begin() would return at once. From the first question on, slots are taken again later.
  bool may_begin();
  // Whether rank `next` and those before `end` have published; `next` moves on to the first that has not.
  bool arrived(const Ticket& ticket, int& next, int end) const {
    while (next < end && published(next, ticket.number)) ++next;
    return next >= end;
  }
  // An error if one of these ranks, which have published, is in another collective.
  Error compare(const Ticket& ticket, int first, int end) const;

 private:
  // A line with the head, the payload behind it: small payloads need no other line.
  struct alignas(64) Slot {
    std::atomic<std::uint64_t> sequence;  // release: the payload is complete; acquire in published()
    std::uint64_t signature;              // of the call; the top byte: a hash of all calls before it
    std::byte* data() { return reinterpret_cast<std::byte*>(this) + kHead; }
    const std::byte* data() const { return reinterpret_cast<const std::byte*>(this) + kHead; }
  };
  static constexpr std::size_t kHead = 16;
  struct alignas(64) Head {
    std::atomic<std::uint32_t> left;  // ranks that let go
    std::atomic<std::int32_t> local_ranks[kMostRanks];
  };

  Region(Communicator& comm, Segment& segment, std::uint64_t offset);
  static std::size_t slot_bytes(int ranks);
  static std::size_t bytes_for(int ranks);
  Slot* slot(int rank, std::uint64_t sequence) const {
    const auto index = static_cast<std::size_t>(rank) * kSlots + sequence % kSlots;
    return reinterpret_cast<Slot*>(slots_ + index * slot_bytes_);
  }
  bool published(int rank, std::uint64_t sequence) const {
    return slot(rank, sequence)->sequence.load(std::memory_order_acquire) >= sequence;  // partner: publish
  }
  Error compare_slots(const Ticket& ours, int first, int end) const;
  bool wait_for(int first, int end, std::uint64_t sequence);
  bool wait_slowly(int& next, int end, std::uint64_t sequence);
  void ring_sleepers();

  Communicator& comm_;
  Segment& segment_;
  const std::uint64_t offset_;
  Head& head_;
  std::byte* const slots_;
  const std::size_t slot_bytes_;
  const int rank_, size_;
  Blocking& blocking_;
  std::uint64_t sequence_ = 0;
  std::uint64_t all_began_ = 0;  // every rank is known to have begun this collective, so to have left all before it, but
                                 // for those that are not waited for
  std::uint64_t late_ = 0;       // so many of them may not have been left
  int tag_ = 0;
  CallSignature signature_;
  std::uint8_t history_ = 0;  // of the calls before this one: ranks that waited for nobody in them are found out later
  Doorbell* bells_[kMostRanks];
  std::unique_ptr<Cells> cells_;
  std::uint64_t cells_offset_ = 0;
};

}  // namespace ompi_lite::coll::node
