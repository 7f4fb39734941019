// SPDX-License-Identifier: BSD-3-Clause
// Shared memory: frames through a ring per directed pair of ranks, whole messages by reading the peer's memory.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "btl/btl.h"
#include "btl/shm/ring.h"

namespace ompi_lite::btl::shm {

// Sizes that follow from the number of ranks on the node.
struct Sizes {
  std::uint64_t hot;   // bytes of a ring's hot area
  std::uint64_t bulk;  // bytes of its bulk area; 0: none
};
Sizes sizes_for(int local_size);

// Owned by the Process; one thread at a time. Rings are made by their writers, on the first send, and polled from then on.
class ShmTransport final : public Transport {
 public:
  explicit ShmTransport(const Setup& setup);
  ~ShmTransport() override;

  const TransportInfo& info() const override { return info_; }
  std::vector<std::byte> address() const override;
  Result<std::unique_ptr<Endpoint>> connect(PeerId peer, Address address) override;
  bool progress(Receiver& receiver) override;

  Segment& segment() const { return *segment_; }
  const Sizes& sizes() const { return sizes_; }

 private:
  void open_rings(std::uint32_t arrivals);

  Segment* segment_;
  std::vector<PeerId> peers_;        // by local rank
  std::vector<RingReader> readers_;  // one for each peer that ever sent
  std::vector<bool> opened_;         // by local rank: has a reader
  std::uint32_t arrivals_ = 0;       // as last seen
  std::atomic<std::uint32_t>* arrivals_word_;
  std::optional<bool> crowded_;
  Sizes sizes_;
  TransportInfo info_;
};

// How a rank of the node finds out that another one shares its segment.
struct ShmAddress {
  SegmentId segment;
  std::int32_t local_rank;
  std::int32_t unused;
};
static_assert(sizeof(ShmAddress) == 32);

KnobGroup knobs();

}  // namespace ompi_lite::btl::shm
