// SPDX-License-Identifier: BSD-3-Clause
// The region of a communicator on one node: how it comes and goes, and how its ranks wait.
#include "coll/node/region.h"

#include <algorithm>
#include <cstring>

#include "coll/algorithms/allreduce_allgather.h"
#include "coll/algorithms/bcast_knomial.h"
#include "coll/compare.h"
#include "coll/direct.h"
#include "coll/node/cells.h"
#include "ompi_lite/base/macros.h"
#include "pml/pml.h"

namespace ompi_lite::coll::node {

namespace {

constexpr std::size_t kMostBytes = 256 << 10;  // of a region: what its slots share
constexpr std::size_t kLargestSlot = 4096 + 64, kSmallestSlot = 512;
constexpr int kSpins = 64;  // looks at the slots alone before the first look at everything else: a few microseconds

}  // namespace

std::size_t Region::slot_bytes(int ranks) {
  const std::size_t share = kMostBytes / (static_cast<std::size_t>(ranks) * kSlots) / 64 * 64;
  return std::clamp(share, kSmallestSlot, kLargestSlot);
}
std::size_t Region::bytes_for(int ranks) {
  return sizeof(Head) + static_cast<std::size_t>(ranks) * kSlots * slot_bytes(ranks);
}
Count Region::capacity(int ranks) { return static_cast<Count>(slot_bytes(ranks) - kHead); }

bool Region::possible(const Communicator& comm) {
  const CommunicatorHome& home = comm.home();
  if (home.segment == nullptr || comm.is_inter() || comm.size() < 2 || comm.size() > kMostRanks) return false;
  const auto node_of = [&](int rank) -> int {
    const auto peer = static_cast<std::size_t>(comm.peer(rank));
    return peer < home.node_of_peer.size() ? home.node_of_peer[peer] : -1 - rank;  // not one of the job's first processes
  };
  for (int i = 1; i < comm.size(); ++i) {
    if (node_of(i) != node_of(0)) return false;
  }
  return true;
}

// Rank 0 takes the memory and says where it is; all say whether they see the same segment.
std::unique_ptr<Region> Region::make(Communicator& comm, CallSignature signature) {
  struct Place {
    SegmentId segment;
    std::uint64_t offset;
  } place{};
  Segment* segment = comm.home().segment;
  if (comm.rank() == 0 && segment != nullptr) {
    Result<std::uint64_t> offset = segment->take(bytes_for(comm.size()));
    if (!offset) OL_LOG(debug, "no room for small collectives: %s", offset.error().sentence());
    place = {segment->id(), offset ? *offset : 0};
  }
  {
    Direct steps(comm, Operation::bcast, signature);
    steps.bind(coll::Slot::send, reinterpret_cast<std::byte*>(&place), datatype_of(MPI_BYTE));
    BcastKnomial::run(steps, {Part{coll::Slot::send, 0, 0, sizeof place}, 0, 2});
    if (steps.finish()) {
      pml::log_of(comm).put_back();  // for the call itself
      return nullptr;
    }
  }
  std::unique_ptr<Region> region;
  if (segment != nullptr && place.offset != 0 && place.segment == segment->id())
    region.reset(new Region(comm, *segment, place.offset));
  // The smallest answer counts; after this exchange every rank has also written its place in the head.
  std::int32_t mine = region ? 1 : 0, all = 0;
  Direct steps(comm, Operation::allreduce, signature);
  Datatype& type = datatype_of(MPI_INT32_T);
  steps.reduce_with(op_of(MPI_MIN), type);
  steps.bind(coll::Slot::send, reinterpret_cast<std::byte*>(&mine), type);
  steps.bind(coll::Slot::receive, reinterpret_cast<std::byte*>(&all), type);
  AllreduceAllgather::run(steps, {Part{coll::Slot::send, 0, 0, 1}, Part{coll::Slot::receive, 0, 0, 1}});
  if (steps.finish()) {
    pml::log_of(comm).put_back();
    return nullptr;
  }
  if (all == 0 || !region) return nullptr;  // a region that some lack is never given back: rare
  for (int i = 0; i < comm.size(); ++i) {
    region->bells_[i] =
        &segment->bell(region->head_.local_ranks[i].load(std::memory_order_relaxed));  // after the exchange above
  }
  return region;
}

Region::Region(Communicator& comm, Segment& segment, std::uint64_t offset)
    : comm_(comm),
      segment_(segment),
      offset_(offset),
      head_(*segment.at<Head>(offset)),
      slots_(segment.at(offset) + sizeof(Head)),
      slot_bytes_(slot_bytes(comm.size())),
      rank_(comm.rank()),
      size_(comm.size()),
      blocking_(pml::of(comm).blocking()) {
  head_.local_ranks[rank_].store(segment.local_rank(), std::memory_order_relaxed);  // messages follow before anyone reads it
}

Error Region::make_cells() {
  std::uint64_t place = 0;  // 0: there is no room
  const std::size_t bytes = Cells::bytes_for(size_);
  std::byte* slot = begin();
  if (rank_ == 0) {
    Result<std::uint64_t> offset = segment_.take_extra(bytes);
    if (!offset) OL_LOG(debug, "no cells: %s", offset.error().sentence());
    if (offset) place = *offset;
    std::memcpy(slot, &place, sizeof place);
  }
  publish();
  OL_TRY(await(0));
  std::memcpy(&place, slot_of(0), sizeof place);
  if (place == 0) return {};
  cells_offset_ = place;
  cells_ = std::make_unique<Cells>(segment_.at(cells_offset_), size_);
  return {};
}

Region::~Region() {
  // acq_rel: whoever gives the memory back does so after the last use by all others.
  if (head_.left.fetch_add(1, std::memory_order_acq_rel) + 1 != static_cast<std::uint32_t>(size_)) return;
  if (cells_ != nullptr) segment_.give_back_extra(cells_offset_, Cells::bytes_for(size_));
  segment_.give_back(offset_, bytes_for(size_));
}

std::byte* Region::begin() {
  ++sequence_;
  // The slot served collective sequence_ - kSlots, which all must have left: so all must have begun the one after it, or a
  // later one. Looked at so early that half of the slots are still free.
  if (sequence_ >= all_began_ + kSlots - late_) [[unlikely]] {
    static_cast<void>(wait_for(0, size_, sequence_ - kSlots / 2));  // what is wrong is found where this call waits
    all_began_ = sequence_ - kSlots / 2;
  }
  return slot(rank_, sequence_)->data();
}

bool Region::may_begin() {
  static_assert(kUnderWay < kSlots / 2);
  late_ = kUnderWay;
  const std::uint64_t number = sequence_ + 1;
  if (number < all_began_ + kSlots - late_) return true;
  for (int rank = 0; rank < size_; ++rank)
    if (!published(rank, number - kSlots / 2)) return false;
  all_began_ = number - kSlots / 2;
  return true;
}

bool Region::have_all_left(std::uint64_t number) {
  if (number < all_began_) return true;
  for (int rank = 0; rank < size_; ++rank)
    if (!published(rank, number + 1)) return false;
  all_began_ = number + 1;
  return true;
}

void Region::publish() {
  Slot* mine = slot(rank_, sequence_);
  mine->signature = signature_.word() | std::uint64_t{history_} << 56;
  mine->sequence.store(sequence_, std::memory_order_release);  // partner: published
  ring_sleepers();
}

void Region::ring_sleepers() {
  bool fence = blocking_.waiter().crowded();
  for (int i = 0; i < size_; ++i) {
    if (i == rank_) continue;
    bells_[i]->ring_if_sleeping(fence);
    fence = false;  // one orders the store before all the loads
  }
}

inline Error Region::compare_slots(const Ticket& ours, int first, int end) const {
  for (int i = first; i < end; ++i) {
    const std::uint64_t word = slot(i, ours.number)->signature;
    const CallSignature theirs = CallSignature::from_word(word);
    if (!theirs.fits(ours.signature)) [[unlikely]]
      return mismatch({i, theirs, ours.signature}, rank_);
    const bool both = theirs.checked() && ours.signature.checked();
    if (both && word >> 56 != ours.history) [[unlikely]]
      return make_error(ErrorClass::other,
                        "an earlier collective on this communicator was not the same on rank %d as on rank %d: they gave "
                        "different roots, counts or operations, or called another one",
                        i, rank_);
  }
  return {};
}

Error Region::await(int first, int end) {
  if (!wait_for(first, end, sequence_)) return mismatch(pml::log_of(comm_).take(), rank_);
  return compare_slots(ticket(), first, end);
}

Error Region::compare(const Ticket& ours, int first, int end) const { return compare_slots(ours, first, end); }

// False: a rank is in another collective, which it does by messages.
bool Region::wait_for(int first, int end, std::uint64_t sequence) {
  int next = first;
  while (next < end && published(next, sequence)) ++next;
  return next == end || wait_slowly(next, end, sequence);
}

bool Region::wait_slowly(int& next, int end, std::uint64_t sequence) {
  pml::CollectiveLog& log = pml::log_of(comm_);
  int spins = blocking_.waiter().crowded() ? 0 : kSpins;
  pml::Patience patience;
  while (next < end && !log.found()) {
    bool overdue = false;
    blocking_.until([&] {  // asked again after it has said yes
      for (;;) {
        while (next < end && published(next, sequence)) ++next;
        if (next == end || log.found() || overdue) return true;
        if (spins == 0) break;
        --spins;
        os::cpu_pause();
      }
      return overdue = patience.over();
    });
    if (next == end || log.found()) break;
    if (signature_.checked()) pml::of(comm_).ask({comm_, next, tag_, Plane::collective, signature_});
    patience.renew();
  }
  return next == end;
}

}  // namespace ompi_lite::coll::node
