// SPDX-License-Identifier: BSD-3-Clause
// Frames to oneself: queued, and handed up by the next progress.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "btl/btl.h"

namespace ompi_lite::btl::self {

// Owned by the Process; one thread at a time. A frame is copied once, into the queue; large messages are read in place by
// get.
class SelfTransport final : public Transport {
 public:
  explicit SelfTransport(const Setup& setup);

  const TransportInfo& info() const override { return info_; }
  std::vector<std::byte> address() const override { return {}; }
  Result<std::unique_ptr<Endpoint>> connect(PeerId peer, Address address) override;
  bool progress(Receiver& receiver) override;
  bool drained() const override { return frames_.empty(); }

  Sent take(std::span<const std::byte> header, Pieces payload);

 private:
  struct Frame {
    std::unique_ptr<std::byte[]> data;
    std::size_t bytes;
  };
  std::deque<Frame> frames_;
  std::size_t queued_bytes_ = 0;
  PeerId self_;
  TransportInfo info_;
};

}  // namespace ompi_lite::btl::self
