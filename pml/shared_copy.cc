// SPDX-License-Identifier: BSD-3-Clause
// Large messages that the receiver and the sender copy at the same time.
#include <algorithm>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/macros.h"
#include "pml/peer.h"
#include "pml/sharing.h"

namespace ompi_lite::pml {

namespace {

// For transports that call `done` before get and put return.
struct Outcome : btl::Completion {
  Error result;
  Outcome() {
    done = [](btl::Completion& self, Error error) { static_cast<Outcome&>(self).result = error; };
  }
};

}  // namespace

// The receiver asks for help and begins at the front. False if the sender's memory cannot be read; nothing has happened
// then.
bool Pml::fetch_shared(ReceiveRequest& request, const btl::RemoteRegion& region) {
  Peer& from = *request.peer;
  std::atomic<std::uint64_t>* word = from.endpoint->shared_word(btl::Endpoint::Direction::incoming);
  Outcome outcome;
  const btl::RemoteRegion nothing{region.address, 0, region.key};
  if (word == nullptr || from.endpoint->get(nothing, {request.start, 0}, outcome)) return false;

  Sharing sharing = Sharing::begin(*word, request.expected);
  ShareHeader header;
  header.generation = sharing.generation();
  header.send_request = request.send_request;
  header.receive_request = request.ticket = tickets_.issue(request);
  header.bytes = request.expected;
  header.address = reinterpret_cast<std::uint64_t>(request.start);
  request.sharing = true;
  reply(from, header);
  if (from.lost) return true;  // and the request has ended with it

  for (Sharing::Part part = sharing.take_front(); part.bytes > 0; part = sharing.take_front()) {
    const auto bytes = static_cast<std::size_t>(part.bytes);
    const btl::RemoteRegion there{region.address + static_cast<std::uint64_t>(part.offset), bytes, region.key};
    const Error refused = from.endpoint->get(there, {request.start + part.offset, bytes}, outcome);
    if (refused || outcome.result) {
      sharing.close();
      request.refetch = true;
      break;
    }
  }
  request.ended_ns = now_ns();
  // All that we read is here; what the sender still copies is its own affair, so it may end as soon as it is done with that.
  if (!request.refetch) reply(from, ReplyHeader{FrameKind::fetched, {}, request.send_request});
  if (from.lost) return true;
  if (!sharing.sender_took_part()) end_shared(request, 0);
  return true;
}

// All parts are copied, or failed on one side: then the message is sent again, in frames.
void Pml::end_shared(ReceiveRequest& request, std::int64_t sender_ended_ns) {
  request.sharing = false;
  if (request.refetch) {
    request.refetch = false;
    request.began_ns = 0;
    OL_LOG(debug, "peer %d: copying its memory failed, asking for frames", request.peer->id);
    return ask_for_frames(request);
  }
  if (request.began_ns != 0) {
    const std::int64_t last = std::clamp(sender_ended_ns, request.ended_ns, now_ns());
    ways_.took(Way::shared, request.expected, last - request.began_ns);
  }
  finish_receive(request, {});
}

// The sender helps, from the back. If the receiver was faster there is nothing left to do, and no answer is owed.
bool Pml::on_share(PeerId from, const ShareHeader& header) {
  SendRequest* found = find_send(from, header.send_request, SendStage::awaiting);
  if (found == nullptr || found->header.kind != FrameKind::announce || found->start == nullptr) return false;
  if (header.bytes <= 0 || header.bytes > found->bytes) return false;
  SendRequest& request = *found;
  Peer& peer = *request.peer;
  std::atomic<std::uint64_t>* word = peer.endpoint->shared_word(btl::Endpoint::Direction::outgoing);
  Outcome outcome;
  if (word == nullptr || peer.endpoint->put({request.start, 0}, {header.address, 0, 0}, outcome)) return true;

  Sharing sharing(*word, header.generation, header.bytes);
  PlacedHeader placed;
  placed.receive_request = header.receive_request;
  bool took_part = false;
  for (Sharing::Part part = sharing.take_back(); part.bytes > 0; part = sharing.take_back()) {
    took_part = true;
    const auto bytes = static_cast<std::size_t>(part.bytes);
    const btl::RemoteRegion there{header.address + static_cast<std::uint64_t>(part.offset), bytes, 0};
    const Error refused = peer.endpoint->put({request.start + part.offset, bytes}, there, outcome);
    if (refused || outcome.result) {
      placed.failed = 1;
      request.asked_again = true;
      break;
    }
  }
  if (!took_part) return true;
  placed.ended_ns = now_ns();
  reply(peer, placed);
  return true;
}

bool Pml::on_placed(PeerId from, const PlacedHeader& header) {
  Request* found = tickets_.find(header.receive_request);
  if (found == nullptr || found->request_kind != RequestKind::receive) return false;
  auto& request = static_cast<ReceiveRequest&>(*found);
  if (request.peer->id != from || !request.sharing) return false;
  if (header.failed != 0) request.refetch = true;
  end_shared(request, header.ended_ns);
  return true;
}

}  // namespace ompi_lite::pml
