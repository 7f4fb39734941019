// SPDX-License-Identifier: BSD-3-Clause
// Frames whose payload a transport reads straight into the receive buffer: pieces of large messages, and whole messages that
// somebody waits for already. What does not fit this simple case comes as any frame does.
#include "ompi_lite/base/counters.h"
#include "ompi_lite/base/macros.h"
#include "pml/context.h"
#include "pml/peer.h"

namespace ompi_lite::pml {

static_assert(btl::Receiver::kBegin >= kLargestHeader);

btl::Receiver::Landing Pml::on_begin(btl::PeerId from, std::span<const std::byte> begin, std::size_t bytes) {
  if (any_lost_ && peer(from).damaged) [[unlikely]]
    return {};
  const auto kind = static_cast<FrameKind>(begin[0]);
  const std::size_t header = header_bytes(kind);
  if (bytes <= header) return {};
  const auto payload = static_cast<Count>(bytes - header);
  if (kind == FrameKind::data)
    return {land_data(from, reinterpret_cast<const DataHeader*>(begin.data())->receive_request, payload), header};
  if (kind == FrameKind::eager)
    return {land_eager(from, *reinterpret_cast<const MatchHeader*>(begin.data()), payload), header};
  return {};
}

std::uint64_t Pml::land_data(PeerId from, std::uint64_t ticket, Count payload) const {
  const Request* found = tickets_.find(ticket);
  if (found == nullptr || found->request_kind != RequestKind::receive) return 0;
  const auto& request = static_cast<const ReceiveRequest&>(*found);
  const bool fits = request.peer->id == from && !request.sharing && payload <= request.expected - request.received;
  return fits && request.start != nullptr ? ticket : 0;
}

// From here on the message is matched; until it is complete it counts as a large one that is being received.
std::uint64_t Pml::land_eager(PeerId from, const MatchHeader& header, Count payload) {
  if (header.source < 0 || header.tag == MPI_ANY_TAG) return 0;
  PostedList& posted = context(header.context & ~std::uint64_t{1}).queues(static_cast<Plane>(header.context & 1)).posted;
  MatchEntry* entry = posted.find(header.source, header.tag);
  if (entry == nullptr) return 0;
  auto& request = static_cast<ReceiveRequest&>(*entry);
  if (request.start == nullptr || payload > request.room || !request.signature.fits(header.signature())) return 0;
  posted.remove(request);
  request.posted = false;
  request.peer = &peer(from);
  request.announced = request.expected = payload;
  request.received = 0;
  request.began_ns = 0;
  request.sharing = request.refetch = false;
  request.receiving = true;
  request.peer->receiving.push_back(request);
  request.ticket = tickets_.issue(request);
  counters.messages_received.add(1);
  counters.bytes_received.add(static_cast<std::uint64_t>(payload));
  set_status(request.status, header.source, header.tag, payload);
  return request.ticket;
}

std::byte* Pml::landing_place(std::uint64_t ticket) {
  Request* found = tickets_.find(ticket);
  if (found == nullptr) return nullptr;
  auto& request = static_cast<ReceiveRequest&>(*found);
  return request.start + request.received;
}

void Pml::on_landed(std::uint64_t ticket, std::size_t payload_bytes) {
  Request* found = tickets_.find(ticket);
  if (found == nullptr) return;
  moved();
  received_more(static_cast<ReceiveRequest&>(*found), static_cast<Count>(payload_bytes));
}

}  // namespace ompi_lite::pml
