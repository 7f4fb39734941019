// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a communicator on one node share for small collectives: slots with a sequence number, written by one
// rank and read by all.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "ompi_lite/base/blocking.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/base/segment.h"
#include "ompi_lite/core/call_signature.h"
#include "ompi_lite/core/communicator.h"

namespace ompi_lite::coll::node {

// One rank's view. Every collective has a number, the same at all ranks; for each of them every rank publishes one slot,
// which says that it has come and holds what it has for the others. A rank has kSlots of them in turn, and takes one
// again only when all have left the collective that used it. One writer for each line, no locks, no read-modify-write.
//
// Owned by the communicator's State; guarded like it. The last rank that lets go gives the memory back.
class Region {
 public:
  static constexpr int kSlots = 8;
  static constexpr int kMostRanks = 64;

  // Collective over the communicator, on whose node all its ranks are: null at all ranks if one of them has no room.
  // `signature`: of the call that all make.
  static std::unique_ptr<Region> make(Communicator& comm, CallSignature signature);
  // Bytes that a slot holds among so many ranks.
  static Count capacity(int ranks);
  static bool possible(const Communicator& comm);

  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

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
  const std::byte* slot_of(int rank) const { return slot(rank, sequence_)->data(); }

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
  std::uint64_t all_began_ = 0;  // every rank is known to have begun this collective, so to have left all before it
  int tag_ = 0;
  CallSignature signature_;
  std::uint8_t history_ = 0;  // of the calls before this one: ranks that waited for nobody in them are found out later
  Doorbell* bells_[kMostRanks];
};

}  // namespace ompi_lite::coll::node
