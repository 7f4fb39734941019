// SPDX-License-Identifier: BSD-3-Clause
// The way to one rank of the same node.
#pragma once

#include "btl/btl.h"
#include "btl/shm/ring.h"
#include "btl/shm/single_copy.h"
#include "btl/shm/transport.h"

namespace ompi_lite::btl::shm {

// Owned by whoever called connect. Makes its ring on the first send.
class ShmEndpoint final : public Endpoint {
 public:
  ShmEndpoint(ShmTransport& transport, int local_rank, bool crowded);
  ~ShmEndpoint() override;

  Sent try_send(std::span<const std::byte> header, Pieces payload) override;
  Error get(const RemoteRegion& from, const LocalRegion& to, Completion& completion) override;
  Error put(const Piece& from, const RemoteRegion& to, Completion& completion) override;
  bool peer_leaves() const override;
  std::atomic<std::uint64_t>* shared_word(Direction direction) override;

 private:
  bool peer_left() const;
  [[gnu::noinline]] bool make_ring();
  [[gnu::noinline]] void make_bulk_area();

  ShmTransport* transport_;
  NodeRank* peer_;
  RingWriter writer_;
  int local_rank_;
  bool fence_;  // the peer sleeps often: order our store before the look at its bell
  bool bulk_refused_ = false;
  SingleCopy single_copy_;
};

}  // namespace ompi_lite::btl::shm
