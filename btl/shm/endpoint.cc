// SPDX-License-Identifier: BSD-3-Clause
// Sending through shared memory.
#include "btl/shm/endpoint.h"

#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::shm {

namespace {

constexpr std::size_t kBulkFrom = 4096;  // smaller frames stay in the hot area

}  // namespace

ShmEndpoint::ShmEndpoint(ShmTransport& transport, int local_rank, bool crowded)
    : transport_(&transport),
      peer_(&transport.segment().rank(local_rank)),
      local_rank_(local_rank),
      fence_(crowded),
      single_copy_(*peer_) {}

ShmEndpoint::~ShmEndpoint() {
  if (!writer_.open()) return;
  writer_.close();
  // While the peer still reads there, the area stays taken until the segment ends.
  if (writer_.has_bulk() && writer_.in_flight() == 0)
    transport_->segment().give_back(writer_.bulk().offset, writer_.bulk().size);
}

Sent ShmEndpoint::try_send(std::span<const std::byte> header, Pieces payload) {
  std::size_t bytes = header.size();
  for (const Piece& piece : payload) bytes += piece.bytes;
  bool large = bytes >= kBulkFrom;
  if (__builtin_expect(!writer_.open(), 0) && !make_ring()) return peer_left() ? Sent::dead : Sent::full;
  if (large && !writer_.has_bulk()) make_bulk_area();
  if (!writer_.write(header, payload, bytes, large)) return peer_left() ? Sent::dead : Sent::full;
  peer_->bell.ring_if_sleeping(fence_);
  return Sent::yes;
}

bool ShmEndpoint::peer_left() const {
  return peer_->state.load(std::memory_order_acquire) == RankState::left;  // partner: the store in Segment's destructor
}

bool ShmEndpoint::peer_leaves() const {
  return peer_->state.load(std::memory_order_acquire) >= RankState::leaving;  // partner: the store in Segment::leave
}

bool ShmEndpoint::make_ring() {
  Segment& segment = transport_->segment();
  std::atomic<std::uint64_t>& word = segment.pair_word(segment.local_rank(), local_rank_);
  std::uint64_t hot = transport_->sizes().hot;
  std::uint64_t offset = word.load(std::memory_order_acquire);  // an earlier transport of this rank may have left its ring
  if (offset == 0) {
    auto taken = segment.take(sizeof(RingMemory) + hot);
    if (!taken) {
      OL_LOG(error, "no ring to local rank %d: %s", local_rank_, taken.error().sentence());
      return false;
    }
    offset = *taken;
    word.store(offset, std::memory_order_release);            // partner: the load in ShmTransport::open_rings
    peer_->arrivals.fetch_add(1, std::memory_order_release);  // partner: the load in ShmTransport::progress
  }
  auto& memory = *segment.at<RingMemory>(offset);
  RingWriter writer(segment, memory, ByteArea{.offset = offset + sizeof(RingMemory), .size = hot});
  if (writer.in_flight() != 0) return false;  // frames of that earlier transport still lie in the byte area
  writer_ = writer;
  return true;
}

void ShmEndpoint::make_bulk_area() {
  std::uint64_t size = transport_->sizes().bulk;
  if (bulk_refused_ || size == 0) return;
  auto taken = transport_->segment().take(size);
  if (taken) {
    writer_.set_bulk(ByteArea{.offset = *taken, .size = size});
    return;
  }
  bulk_refused_ = true;  // large frames go through the hot area: slower, not wrong
  OL_LOG(debug, "no bulk area to local rank %d: %s", local_rank_, taken.error().sentence());
}

Error ShmEndpoint::get(const RemoteRegion& from, const LocalRegion& to, Completion& completion) {
  Error result;
  if (Error refused = single_copy_.read(from.address, to.data, to.bytes, result)) return refused;
  completion.done(completion, result);
  return {};
}

Error ShmEndpoint::put(const Piece& from, const RemoteRegion& to, Completion& completion) {
  Error result;
  if (Error refused = single_copy_.write(to.address, from.data, from.bytes, result)) return refused;
  completion.done(completion, result);
  return {};
}

std::atomic<std::uint64_t>* ShmEndpoint::shared_word(Direction direction) {
  const Segment& segment = transport_->segment();
  const int mine = segment.local_rank();
  const std::atomic<std::uint64_t>& ring =
      direction == Direction::outgoing ? segment.pair_word(mine, local_rank_) : segment.pair_word(local_rank_, mine);
  const std::uint64_t offset = ring.load(std::memory_order_acquire);  // partner: the store in make_ring
  return offset == 0 ? nullptr : &segment.at<RingMemory>(offset)->word;
}

}  // namespace ompi_lite::btl::shm
