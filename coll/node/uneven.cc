// SPDX-License-Identifier: BSD-3-Clause
// Uneven blocks between the ranks of a node.
#include "coll/node/uneven.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "coll/compare.h"
#include "coll/node/cells.h"
#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/pack.h"

namespace ompi_lite::coll::node {

namespace {

enum class Way : std::uint32_t { slot, ring, message };

// How long a block is and where it lies.
class Word {
 public:
  static constexpr Count kMost = (Count{1} << 30) - 1;
  Word() = default;
  Word(Way way, Count bytes) : bits_(static_cast<std::uint32_t>(way) << 30 | static_cast<std::uint32_t>(bytes)) {}
  Way way() const { return static_cast<Way>(bits_ >> 30); }
  Count bytes() const { return bits_ & kMost; }  // of a message: not said

 private:
  std::uint32_t bits_ = 0;
};
static_assert(sizeof(Word) == 4);
static_assert(Region::kMostRanks * sizeof(Word) < 496, "the smallest slot has room for all words");

// Bytes of a block in a ring. Longer ones are copied once as messages, with a core for each rank by both cores.
constexpr Count kRingMost = 8 << 10, kRingMostCrowded = 32 << 10;

constexpr Count kAlign = 8, kLine = 64;
Count rounded(Count bytes, Count unit) { return (bytes + unit - 1) / unit * unit; }

void pack_into(std::byte* to, const Buffer& from, Count bytes) {
  if (bytes == 0) return;
  if (const std::byte* start = contiguous_start(from)) return copy_bytes(to, start, static_cast<std::size_t>(bytes));
  PackCursor(from).pack(to, static_cast<std::size_t>(bytes));
}
void unpack_from(const std::byte* from, const Buffer& to, Count bytes) {
  if (bytes == 0) return;
  if (std::byte* start = contiguous_start(to)) return copy_bytes(start, from, static_cast<std::size_t>(bytes));
  PackCursor(to).unpack(from, static_cast<std::size_t>(bytes));
}

// One call of one rank.
class Exchange {
 public:
  Exchange(Communicator& comm, Region& region, const UnevenCall& call)
      : comm_(comm),
        region_(region),
        call_(call),
        me_(region.rank()),
        p_(region.size()),
        words_(call.operation == Operation::gatherv ? 1 : region.size()),
        slot_first_(rounded(words_ * static_cast<Count>(sizeof(Word)), kAlign)) {}

  Error run() {
    show();
    for (int step = 1; step < p_ && !other_call_; ++step) {
      const int source = (me_ + step) % p_;
      if (receives_from(source)) take(source);
    }
    if (messages_) exchange_messages();
    return error_class_ == ErrorClass::success ? Error() : make_error(error_class_, "%s", error_text_.c_str());
  }

 private:
  bool sends_to(int rank) const {
    switch (call_.operation) {
      case Operation::gatherv:
        return rank == call_.root;
      case Operation::scatterv:
        return me_ == call_.root;
      default:
        return true;
    }
  }
  bool receives_from(int rank) const {
    switch (call_.operation) {
      case Operation::gatherv:
        return me_ == call_.root;
      case Operation::scatterv:
        return rank == call_.root;
      default:
        return true;
    }
  }
  std::size_t index_for(int receiver) const { return words_ == 1 ? 0 : static_cast<std::size_t>(receiver); }

  void show();
  void take(int source);
  void exchange_messages();
  // The first error counts; the others are served all the same.
  void fail(const Error& error) {
    if (!error || error_class_ != ErrorClass::success) return;
    error_class_ = error.error_class();
    error_text_ = error.sentence();  // which may lie in a buffer that the next error overwrites
  }

  Communicator& comm_;
  Region& region_;
  const UnevenCall& call_;
  const int me_, p_;
  const int words_;                                                // in a slot
  const Count slot_first_;                                         // where its blocks begin
  std::size_t place_ = 0;                                          // in the rings
  std::array<bool, Region::kMostRanks> to_send_{}, to_receive_{};  // by message
  bool messages_ = false;
  bool other_call_ = false;  // a rank is in another collective
  ErrorClass error_class_ = ErrorClass::success;
  std::string error_text_;
};

void Exchange::show() {
  // The same place in all rings, whoever needs it: who does not leaves it cold.
  const Count ring_room = region_.has_cells() ? region_.cells().most() : 0;
  if (ring_room > 0) place_ = region_.cells().next(region_, ring_room);
  const Count ring_most = region_.crowded() ? kRingMostCrowded : kRingMost;
  std::byte* slot = region_.begin();
  Count in_slot = slot_first_, in_ring = 0;
  std::array<Word, Region::kMostRanks> words{};
  for (int rank = 0; rank < p_; ++rank) {
    if (rank == me_ || !sends_to(rank)) continue;
    const Buffer block = call_.send[rank];
    const Count bytes = pack_size(block);
    Word& word = words[index_for(rank)];
    if (in_slot + bytes <= Region::capacity(p_)) {
      word = Word(Way::slot, bytes);
      pack_into(slot + in_slot, block, bytes);
      in_slot = rounded(in_slot + bytes, kAlign);
    } else if (bytes <= ring_most && in_ring + bytes <= ring_room) {
      word = Word(Way::ring, bytes);
      pack_into(region_.cells().of(me_, place_) + in_ring, block, bytes);
      in_ring = rounded(in_ring + bytes, kLine);
    } else {
      word = Word(Way::message, 0);
      to_send_[static_cast<std::size_t>(rank)] = messages_ = true;
    }
  }
  std::memcpy(slot, words.data(), static_cast<std::size_t>(words_) * sizeof(Word));
  region_.publish();
}

void Exchange::take(int source) {
  if (const Error error = region_.await(source)) {
    other_call_ = true;
    return fail(error);
  }
  const std::byte* slot = region_.slot_of(source);
  std::array<Word, Region::kMostRanks> words;
  const std::size_t mine = index_for(me_);
  std::memcpy(words.data(), slot, (mine + 1) * sizeof(Word));
  Count in_slot = slot_first_, in_ring = 0;
  for (std::size_t i = 0; i < mine; ++i) {
    if (words[i].way() == Way::slot && static_cast<int>(i) != source) in_slot = rounded(in_slot + words[i].bytes(), kAlign);
    if (words[i].way() == Way::ring) in_ring = rounded(in_ring + words[i].bytes(), kLine);
  }
  const Word word = words[mine];
  if (word.way() == Way::message) {
    to_receive_[static_cast<std::size_t>(source)] = messages_ = true;
    return;
  }
  const Buffer to = call_.receive[source];
  const Count room = pack_size(to);
  if (word.bytes() != room)
    return fail(make_error(
        ErrorClass::truncate, "%s: rank %d sent %lld bytes where rank %d expects %lld: counts or types differ between ranks",
        mpi_name(call_.operation), source, static_cast<long long>(word.bytes()), me_, static_cast<long long>(room)));
  const bool in_its_slot = word.way() == Way::slot;
  unpack_from(in_its_slot ? slot + in_slot : region_.cells().of(source, place_) + in_ring, to, room);
}

// Under the number of the call. Rounds are the same at all ranks: who sends in one is received from in it.
void Exchange::exchange_messages() {
  Direct steps(comm_, call_.operation, region_.ticket());
  if (other_call_)
    return steps.fail(make_error(error_class_, "%s", error_text_.c_str()));  // releases who waits for this rank
  const auto index = [](int rank) { return static_cast<std::size_t>(rank); };
  call_.send.bind(steps, Slot::send);
  call_.receive.bind(steps, Slot::receive);
  std::array<Part, Region::kMostRanks> outgoing;
  for (int rank = 0; rank < p_; ++rank) {
    if (!to_send_[index(rank)]) continue;
    Part& part = outgoing[index(rank)] = call_.send.part(Slot::send, rank);
    if (!call_.in_place) continue;
    const Part copy = steps.scratch(steps.bytes(part));  // before anything arrives there
    steps.copy(part, copy);
    part = copy;
  }
  for (int first = 1; first < p_; first += kWindow) {
    const int end = std::min(first + kWindow, p_);
    for (int step = first; step < end; ++step) {
      const int from = (me_ + p_ - step) % p_;
      if (to_receive_[index(from)]) steps.recv(call_.receive.part(Slot::receive, from), from);
    }
    for (int step = first; step < end; ++step) {
      const int to = (me_ + step) % p_;
      if (to_send_[index(to)]) steps.send(outgoing[index(to)], to);
    }
    steps.end_round();
  }
  fail(steps.finish());
}

}  // namespace

Error exchange_uneven(Communicator& comm, Region& region, const UnevenCall& call) {
  return Exchange(comm, region, call).run();
}

}  // namespace ompi_lite::coll::node
