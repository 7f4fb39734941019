// SPDX-License-Identifier: BSD-3-Clause
// What this process knows of another that it has talked to.
#pragma once

#include <memory>

#include "pml/requests.h"

namespace ompi_lite::pml {

// Made on the first message to or from the peer; owned by the Pml, lives as long. In Pml::busy_ while something waits for
// room.
struct Peer : ListNode {
  PeerId id;
  std::unique_ptr<btl::Endpoint> endpoint;  // null until we first send
  Count eager_bytes = 0;                    // messages up to this size travel with their header
  std::size_t bulk_bytes = 0;               // payload of a data frame, at most
  std::size_t first_bulk_bytes = 0;         // of the first one of a message; the next ones double
  Count get_from = 0;                       // from this size on a readable message is fetched
  Count learn_from = 0;                     // from this size on, below get_from, it takes the way that proved fastest
  Count share_from = 0;                     // from this size on both sides may copy it at the same time
  bool can_get = false;                     // until the peer refuses
  bool near = false;                        // on this machine: may import device memory
  bool lost = false;
  bool damaged = false;  // lost because of what it sent: nothing more is taken from it
  Error why_lost;

  List<Outgoing> outgoing;  // in order: nothing may overtake it
  List<SendRequest, Outgoing> awaiting;
  List<SendRequest, Outgoing> streams;
  List<ReceiveRequest> receiving;

  explicit Peer(PeerId peer_id) : id(peer_id) {}
  bool busy() { return !outgoing.empty() || !streams.empty(); }
};

}  // namespace ompi_lite::pml
