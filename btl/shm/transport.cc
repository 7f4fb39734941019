// SPDX-License-Identifier: BSD-3-Clause
// The receiving side of shared memory, and what its sizes are.
#include "btl/shm/transport.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "btl/shm/endpoint.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::shm {

extern constinit Knob<bool> single_copy;

namespace {

constinit Knob<std::int64_t> bulk_limit{"shm_bulk_limit", std::int64_t{256} << 20, Unit::bytes,
                                        "memory of a node that all bulk areas of its pairs of ranks may take together"};
constinit Knob<bool> shared_copy{
    "shared_copy", true, Unit::none,
    "let sender and receiver copy one large message at the same time where that proves faster; needs single_copy"};
constinit Knob<std::int64_t> get_from{
    "shm_get_from", 0, Unit::bytes,
    "messages from this size on are read out of the sender's memory; 0: found out by trying"};

constexpr std::uint64_t kLeastBulk = 256 << 10;
constexpr std::uint64_t kMostBulk = 4 << 20;
constexpr Count kLearnFrom = 4 << 10;
constexpr Count kShareFrom = 16 << 10;

}  // namespace

// All pairs may talk, in both directions: n (n - 1) rings share the limit.
Sizes sizes_for(int local_size) {
  auto pairs = static_cast<std::uint64_t>(local_size) * static_cast<std::uint64_t>(std::max(1, local_size - 1));
  std::uint64_t hot = local_size <= 8 ? 128 << 10 : local_size <= 64 ? 64 << 10 : 32 << 10;
  std::uint64_t cache = static_cast<std::uint64_t>(std::max<std::int64_t>(os::cache_bytes(2), 512 << 10));
  std::uint64_t bulk = std::min(
      {std::bit_ceil(2 * cache), kMostBulk, std::bit_floor(static_cast<std::uint64_t>(bulk_limit.value()) / pairs)});
  return {hot, bulk < kLeastBulk ? 0 : bulk};
}

ShmTransport::ShmTransport(const Setup& setup)
    : segment_(setup.segment),
      peers_(setup.local_peers.begin(), setup.local_peers.end()),
      opened_(peers_.size()),
      arrivals_word_(&setup.segment->self().arrivals),
      sizes_(sizes_for(setup.segment->local_size())),
      info_{.name = "shm",
            .max_frame = (sizes_.hot / 2) & ~(kLine - 1),
            .small_frame = kInline,
            .bulk_frame = std::min<std::size_t>(32 << 10, (sizes_.hot / 2) & ~(kLine - 1)),
            .one_sided = single_copy.value(),
            .learn_from = get_from.value() ? get_from.value() : kLearnFrom,
            .get_from = get_from.value() ? get_from.value() : kNever,
            .share_from = single_copy.value() && shared_copy.value() ? kShareFrom : kNever,
            .latency_ns = 100,
            .bytes_per_us = 12000} {
  OL_CHECK(static_cast<int>(peers_.size()) == segment_->local_size(), peers_.size(), segment_->local_size());
  if (single_copy.value()) os::allow_readers();
}

ShmTransport::~ShmTransport() = default;

std::vector<std::byte> ShmTransport::address() const {
  ShmAddress mine{segment_->id(), segment_->local_rank(), 0};
  std::vector<std::byte> bytes(sizeof mine);
  std::memcpy(bytes.data(), &mine, sizeof mine);
  return bytes;
}

Result<std::unique_ptr<Endpoint>> ShmTransport::connect(PeerId peer, Address address) {
  ShmAddress theirs{};
  if (address.size() != sizeof theirs) return make_error(ErrorClass::arg, "peer %d has no shared memory", peer);
  std::memcpy(&theirs, address.data(), sizeof theirs);
  if (theirs.segment != segment_->id() || theirs.local_rank < 0 || theirs.local_rank >= segment_->local_size() ||
      peers_[static_cast<std::size_t>(theirs.local_rank)] != peer) {
    return make_error(ErrorClass::arg, "peer %d does not share memory with this process", peer);
  }
  if (!crowded_) crowded_ = segment_->crowded();  // all are attached by now: asked once, since it looks at all pairs
  if (*crowded_) {  // nobody copies at the same time: one copy is better, and it is one rank's work
    if (get_from.value() == 0) info_.get_from = 64 << 10;
    info_.share_from = kNever;
  }
  return std::unique_ptr<Endpoint>(std::make_unique<ShmEndpoint>(*this, theirs.local_rank, *crowded_));
}

bool ShmTransport::progress(Receiver& receiver) {
  std::uint32_t arrivals =
      arrivals_word_->load(std::memory_order_acquire);  // partner: the increment in ShmEndpoint::make_ring
  if (__builtin_expect(arrivals != arrivals_, 0)) open_rings(arrivals);
  bool found = false;
  for (RingReader& reader : readers_) found |= reader.drain(receiver);
  return found;
}

void ShmTransport::open_rings(std::uint32_t arrivals) {
  for (int from = 0; from < segment_->local_size(); ++from) {
    auto i = static_cast<std::size_t>(from);
    std::uint64_t offset = segment_->pair_word(from, segment_->local_rank()).load(std::memory_order_acquire);
    if (opened_[i] || offset == 0) continue;
    readers_.emplace_back(*segment_, *segment_->at<RingMemory>(offset), peers_[i]);
    opened_[i] = true;
    OL_LOG(trace, "peer %d opened its ring", peers_[i]);
  }
  arrivals_ = arrivals;
}

KnobGroup knobs() {
  static constexpr KnobBase* kKnobs[] = {&single_copy, &shared_copy, &bulk_limit, &get_from};
  return {"btl/shm", kKnobs};
}

}  // namespace ompi_lite::btl::shm
