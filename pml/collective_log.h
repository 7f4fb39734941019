// SPDX-License-Identifier: BSD-3-Clause
// What a rank knows of the collectives on one communicator, so that a message of another one is noticed when it comes, and
// not only where somebody waits for it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/core/call_signature.h"

namespace ompi_lite::pml {

// Two ranks are in different collectives: both by their signatures.
struct OddCall {
  int rank = -1;  // the other's, in the remote group
  CallSignature theirs, ours;
};

// How long a rank waits in a collective until it asks the others whether they are in the same; then less and less often.
class Patience {
 public:
  bool over() {
    if (++looks_ < kLooksBefore || looks_ % kLooksBetween != 0) return false;  // the time is not asked for at each look
    const std::int64_t now = now_ns();
    if (until_ns_ == 0) until_ns_ = now + delay_ns_;
    return now >= until_ns_;
  }
  void renew() {
    delay_ns_ = std::min(2 * delay_ns_, kLongestNs);
    begin();
  }
  void begin() {
    looks_ = 0;
    until_ns_ = 0;
  }

 private:
  static constexpr std::int64_t kFirstNs = 200'000'000, kLongestNs = 10'000'000'000;
  static constexpr std::uint32_t kLooksBefore = 64, kLooksBetween = 16;
  std::uint32_t looks_ = 0;
  std::int64_t until_ns_ = 0, delay_ns_ = kFirstNs;
};

// Part of the Context. Messages and questions carry the number of their collective (its tag) and its signature; the last
// ones that were begun here are kept, also after this rank has left them. Guarded by the process lock, but for found().
class CollectiveLog {
 public:
  static constexpr std::size_t kKept = 16;

  void begin(std::int32_t tag, CallSignature ours) { begun_[slot(tag)] = {tag, ours, Stage::inside}; }
  void leave(std::int32_t tag) {
    Entry& entry = begun_[slot(tag)];
    if (entry.tag == tag && entry.stage == Stage::inside) entry.stage = Stage::left;
  }
  bool has_left(std::int32_t tag) const {
    const Entry& entry = begun_[slot(tag)];
    return entry.tag == tag && entry.stage != Stage::inside;
  }
  // We have left number `tag` with an error: what still comes for it is not wanted.
  void give_up(std::int32_t tag) {
    Entry& entry = begun_[slot(tag)];
    if (entry.tag == tag) entry.stage = Stage::given_up;
  }
  bool given_up(std::int32_t tag) const {
    const Entry& entry = begun_[slot(tag)];
    return entry.tag == tag && entry.stage == Stage::given_up;
  }
  // What we called, or are calling, as number `tag`; not checked() if it is too long ago or has not begun.
  CallSignature ours(std::int32_t tag) const {
    const Entry& entry = begun_[slot(tag)];
    return entry.tag == tag ? entry.signature : CallSignature();
  }
  // True: it is the first that differs since the last take().
  bool compare(std::int32_t tag, CallSignature theirs, int rank) {
    const CallSignature mine = ours(tag);
    if (mine.fits(theirs)) return false;
    if (found()) return false;
    odd_ = {rank, theirs, mine};
    found_.store(true, std::memory_order_release);  // partner: found()
    return true;
  }
  bool found() const { return found_.load(std::memory_order_acquire); }  // partner: compare(). Also without the lock
  OddCall take() {
    found_.store(false, std::memory_order_relaxed);  // the lock orders it
    return odd_;
  }
  // What take() gave is for whoever asks next.
  void put_back() { found_.store(odd_.theirs.checked(), std::memory_order_release); }  // partner: found()

  // A rank waits for us in a collective that we have not begun.
  void asked(std::int32_t tag, CallSignature theirs, int rank) { asked_[slot(tag) % asked_.size()] = {tag, theirs, rank}; }
  // Compares with that, when the collective begins. The rank that asked, or -1.
  int compare_asked(std::int32_t tag) {
    Asked& entry = asked_[slot(tag) % asked_.size()];
    if (entry.tag != tag) [[likely]]
      return -1;
    entry.tag = -1;
    compare(tag, entry.signature, entry.rank);
    return entry.rank;
  }

 private:
  enum class Stage : std::uint8_t { inside, left, given_up };
  struct Entry {
    std::int32_t tag = -1;
    CallSignature signature;
    Stage stage = Stage::inside;
  };
  struct Asked {
    std::int32_t tag = -1;
    CallSignature signature;
    int rank = -1;
  };
  static std::size_t slot(std::int32_t tag) { return static_cast<std::uint32_t>(tag) % kKept; }

  std::array<Entry, kKept> begun_{};
  std::array<Asked, 4> asked_{};
  OddCall odd_;
  std::atomic<bool> found_{false};
};

}  // namespace ompi_lite::pml
