// SPDX-License-Identifier: BSD-3-Clause
// Every byte that btl/ofi adds of its own: the head of each message of libfabric, and the address that is published.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "btl/btl.h"
#include "btl/tcp/handshake.h"

namespace ompi_lite::btl::ofi {

enum class FrameKind : std::uint32_t {
  data = 1,
  goodbye = 2,   // the process leaves for ever
  greeting = 3,  // nothing: whether the way to the peer works shows in its completion
};

// Endpoints take messages of everybody who knows their address, so each one proves whom it is from. Data and goodbyes are
// numbered: libfabric may complete a small message before a large one that was sent earlier.
struct FrameHead {
  std::uint64_t proof;
  PeerId from;
  std::uint32_t number;
  FrameKind kind;
  std::uint32_t unused = 0;
};
static_assert(sizeof(FrameHead) == 24);

// Followed by the endpoint's address.
struct CardHead {
  std::uint64_t network_id;  // tells whether loopback leads to the peer
  std::uint64_t instance;    // of the endpoint: what was meant for an earlier process at the same address proves nothing
  std::uint32_t protocol, format;  // as fi_info has them
  std::uint32_t bytes;             // of the address
  std::array<char, 36> provider;
};
static_assert(sizeof(CardHead) == 64);

// Of who knows the job's secret, for messages from one process to one endpoint.
inline std::uint64_t proof_of(const Secret& secret, PeerId from, PeerId to, std::uint64_t instance) {
  const struct {
    PeerId from, to;
    std::uint64_t instance;
  } pass{from, to, instance};
  return tcp::keyed_hash(secret, std::as_bytes(std::span(&pass, 1)));
}

}  // namespace ompi_lite::btl::ofi
