// SPDX-License-Identifier: BSD-3-Clause
// Large messages, as the receiver drives them: fetched from where they lie, or asked for and sent in pieces.
#include <algorithm>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/counters.h"
#include "ompi_lite/base/macros.h"
#include "pml/peer.h"

namespace ompi_lite::pml {

namespace {

OpenWays open_ways(const Peer& from, Count bytes, bool readable) {
  const bool get = readable && from.can_get && !from.lost && bytes >= std::min(from.learn_from, from.get_from);
  return {get, get && bytes >= from.share_from, !get || bytes < from.get_from};
}

}  // namespace

void Pml::begin_large(ReceiveRequest& request, Peer& from, int source, int tag, std::uint64_t send_request, Count bytes,
                      const btl::RemoteRegion* readable, std::span<const std::byte> exported) {
  request.peer = &from;
  request.send_request = send_request;
  request.announced = bytes;
  request.expected = std::min(bytes, request.room);
  request.received = 0;
  counters.messages_received.add(1);
  counters.rendezvous_received.add(1);
  counters.bytes_received.add(static_cast<std::uint64_t>(request.expected));
  set_status(request.status, source, tag, request.expected);
  if (from.lost) [[unlikely]]  // it told us of the message, and went
    return finish_receive(request, request.expected == 0 ? Error() : from.why_lost);
  if (request.expected == 0) {
    reply(from, ReplyHeader{FrameKind::fetched, {}, send_request});
    return finish_receive(request, {});
  }
  request.receiving = true;
  const bool alone = from.receiving.empty();  // how long it takes says nothing if others are under way
  from.receiving.push_back(request);
  request.began_ns = 0;
  request.sharing = request.refetch = false;
  if (!from.endpoint) [[unlikely]]
    static_cast<void>(connect(from));  // an answer has to be sent in any case: the error shows there
  if (request.device && fetch_from_device(request, exported)) return;
  const OpenWays ways = open_ways(from, request.expected, readable != nullptr && request.start != nullptr);
  const bool choice = ways.count() > 1;
  const Way way = choice ? ways_.way_for(request.expected, ways, alone) : ways.has(Way::get) ? Way::get : Way::frames;
  if (choice && alone) request.began_ns = now_ns();
  if (way == Way::shared && fetch_shared(request, *readable)) return;
  if (way != Way::frames && fetch(request, *readable)) return;
  ask_for_frames(request);
}

// False if the transport cannot, or may not; nothing has happened then. After true the request may be gone.
bool Pml::fetch(ReceiveRequest& request, const btl::RemoteRegion& region) {
  Peer& from = *request.peer;
  if (!from.endpoint && connect(from)) return false;
  if (!from.can_get) return false;
  request.fetch.request = &request;
  request.fetch.done = [](btl::Completion& completion, Error result) {
    ReceiveRequest& done = *static_cast<ReceiveRequest::Fetch&>(completion).request;
    done.pml->on_fetched(done, result);
  };
  const auto bytes = static_cast<std::size_t>(request.expected);
  const Error error = from.endpoint->get({region.address, bytes, region.key}, {request.start, bytes}, request.fetch);
  if (!error) return true;
  if (error.error_class() == ErrorClass::unsupported_operation) from.can_get = false;
  OL_LOG(debug, "peer %d: no single copy: %s", from.id, error.sentence());
  return false;
}

void Pml::on_fetched(ReceiveRequest& request, Error result) {
  Peer& from = *request.peer;
  if (result && !from.lost) {
    OL_LOG(debug, "peer %d: reading its memory failed, asking for frames: %s", from.id, result.sentence());
    return ask_for_frames(request);
  }
  if (request.began_ns != 0) ways_.took(Way::get, request.expected, now_ns() - request.began_ns);
  if (result) return finish_receive(request, result);
  reply(from, ReplyHeader{FrameKind::fetched, {}, request.send_request});
  if (!from.lost) finish_receive(request, {});  // else it has ended with the peer
}

void Pml::ask_for_frames(ReceiveRequest& request) {
  if (request.peer->lost) return finish_receive(request, request.peer->why_lost);
  ClearToSendHeader header;
  header.send_request = request.send_request;
  if (request.ticket == 0) request.ticket = tickets_.issue(request);
  header.receive_request = request.ticket;
  header.bytes = request.expected;
  reply(*request.peer, header);
}

bool Pml::on_data(PeerId from, std::span<const std::byte> frame) {
  const auto& header = *reinterpret_cast<const DataHeader*>(frame.data());
  Request* found = tickets_.find(header.receive_request);
  if (found == nullptr || found->request_kind != RequestKind::receive) return false;
  auto& request = static_cast<ReceiveRequest&>(*found);
  const std::span<const std::byte> payload = frame.subspan(sizeof(DataHeader));
  if (request.peer->id != from || request.sharing ||
      static_cast<Count>(payload.size()) > request.expected - request.received)
    return false;
  if (header.failed != 0) [[unlikely]] {
    finish_receive(request, Error(ErrorClass::other, "the sender could not read its buffer to the end"));
    return true;
  }
  if (request.start != nullptr)
    copy_bytes(request.start + request.received, payload.data(), payload.size());
  else
    put_piece(request, payload);
  received_more(request, static_cast<Count>(payload.size()));
  return true;
}

void Pml::received_more(ReceiveRequest& request, Count bytes) {
  request.received += bytes;
  if (request.received != request.expected) return;
  if (request.began_ns != 0) ways_.took(Way::frames, request.expected, now_ns() - request.began_ns);
  finish_receive(request, request.device ? request.device->flush() : Error());
}

}  // namespace ompi_lite::pml
