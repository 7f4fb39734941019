// SPDX-License-Identifier: BSD-3-Clause
// The sending side: first frames, replies, pieces of large messages, buffered sends.
#include <algorithm>
#include <cstring>

#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/counters.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/datatype.h"
#include "pml/context.h"
#include "pml/holding.h"
#include "pml/peer.h"
#include "pml/tune.h"

namespace ompi_lite::pml {

namespace {

MatchHeader match_header(FrameKind kind, const Envelope& to) {
  MatchHeader header;
  header.kind = kind;
  header.source = to.comm.rank();
  header.context = to.comm.context() | static_cast<std::uint64_t>(to.plane);
  header.tag = to.tag;
  header.set_signature(to.signature);
  return header;
}

btl::Sent send_frame(Peer& peer, const auto& header, const std::byte* payload, Count bytes) {
  const btl::Piece piece{payload, static_cast<std::size_t>(bytes)};
  return peer.endpoint->try_send(std::as_bytes(std::span(&header, 1)), {&piece, bytes > 0 ? 1u : 0u});
}

void count_sent(Count bytes) {
  counters.messages_sent.add(1);
  counters.bytes_sent.add(static_cast<std::uint64_t>(bytes));
}

}  // namespace

// ---- blocking and nonblocking calls ----

// Small and in one piece, with room on the way: no request is made.
Error Pml::send(SendMode mode, const Buffer& data, const Envelope& to) {
  if (to.peer == MPI_PROC_NULL) return {};
  Result<Peer*> found = reachable(to.comm.peer(to.peer));
  if (!found) [[unlikely]]
    return found.error();
  Peer& peer = *found.value();
  const Count bytes = pack_size(data);
  const bool at_once = mode == SendMode::standard || mode == SendMode::ready;
  if (at_once && bytes <= peer.eager_bytes && peer.outgoing.empty()) {
    const std::byte* start = bytes > 0 ? contiguous_start(data) : nullptr;
    if (start != nullptr || bytes == 0) {
      const MatchHeader header = match_header(FrameKind::eager, to);
      if (send_frame(peer, header, start, bytes) == btl::Sent::yes) [[likely]] {
        count_sent(bytes);
        return {};
      }
    }
  }
  return send_slowly(mode, data, to, peer);
}

Error Pml::send_slowly(SendMode mode, const Buffer& data, const Envelope& to, Peer& peer) {
  SendRequest request(*this);
  prepare(request, mode, data, to, peer);
  start(request);
  complete(request, to);
  return request.error;
}

Error Pml::isend(SendMode mode, const Buffer& data, const Envelope& to, Request*& request) {
  OL_TRY(send_init(mode, data, to, request));
  request->persistent = false;
  auto& made = static_cast<SendRequest&>(*request);
  start(made);
  return made.device && made.device->refused() ? take_completion(request, nullptr) : Error();
}

Error Pml::send_init(SendMode mode, const Buffer& data, const Envelope& to, Request*& request) {
  Peer* peer = nullptr;
  if (to.peer != MPI_PROC_NULL) {
    Result<Peer*> found = reachable(to.comm.peer(to.peer));
    if (!found) return found.error();
    peer = *found;
  }
  SendRequest* made = sends_.take(*this);
  made->persistent = true;
  made->active = false;
  if (peer != nullptr) {
    prepare(*made, mode, data, to, *peer);
    if (data.space == MemorySpace::device) [[unlikely]]
      made->device = std::make_unique<DeviceData>(data);
  } else {
    made->ops = &RequestTables::send;
    made->comm = &to.comm;
    made->blocking = &blocking_;
  }
  hold_objects(*made, to.comm, data);
  request = made;
  return {};
}

void Pml::prepare(SendRequest& request, SendMode mode, const Buffer& data, const Envelope& to, Peer& peer) {
  request.ops = &RequestTables::send;
  request.comm = &to.comm;
  request.blocking = &blocking_;
  request.peer = &peer;
  request.mode = mode;
  request.data = data;
  request.header = match_header(FrameKind::eager, to);
}

// ---- the first frame ----

void Pml::start(SendRequest& request) {
  request.complete.store(false, std::memory_order_relaxed);  // nobody waits for it yet
  request.active = true;
  request.error = {};
  set_status_empty(request.status);
  if (request.peer == nullptr) return finish_send(request, {});  // MPI_PROC_NULL
  if (request.mode == SendMode::buffered) return finish_send(request, send_buffered(request));
  Peer& peer = *request.peer;
  if (peer.lost) return finish_send(request, peer.why_lost);

  request.bytes = pack_size(request.data);
  request.sent = 0;
  request.asked_again = false;
  request.start = request.bytes > 0 ? contiguous_start(request.data) : nullptr;
  if (request.device) [[unlikely]] {
    request.start = nullptr;
    if (Error error = request.device->start()) return finish_send(request, error);
  } else if (request.bytes > 0 && request.start == nullptr) {
    request.cursor.emplace(request.data);
  } else {
    request.cursor.reset();
  }
  const bool offered = request.device && request.device->offer(peer.near);
  if (offered || request.bytes > peer.eager_bytes)
    request.header.kind = FrameKind::announce;
  else
    request.header.kind = request.mode == SendMode::synchronous ? FrameKind::eager_sync : FrameKind::eager;

  if (peer.outgoing.empty() && try_first_frame(request)) return;
  request.stage = SendStage::queued;
  peer.outgoing.push_back(request);
  mark_busy(peer);
}

// The next `bytes` of a message that is not in one piece, in packed order. They stay in the staging buffer until another
// piece is asked for, so that a frame that found no room is not packed again.
const std::byte* Pml::stage(SendRequest& request, Count bytes) {
  if (staged_for_ == &request && staged_at_ == request.sent && staged_bytes_ == bytes) return staging_.data();
  if (staging_.size() < static_cast<std::size_t>(bytes)) staging_.resize(static_cast<std::size_t>(bytes));
  request.cursor->seek(request.sent);
  request.cursor->pack(staging_.data(), static_cast<std::size_t>(bytes));
  staged_for_ = &request;
  staged_at_ = request.sent;
  staged_bytes_ = bytes;
  return staging_.data();
}

// The request is at the front of Peer::outgoing, or in no list yet.
bool Pml::try_first_frame(SendRequest& request) {
  Peer& peer = *request.peer;
  if (request.header.kind != FrameKind::eager && request.ticket == 0) request.ticket = tickets_.issue(request);
  btl::Sent sent;
  if (request.header.kind == FrameKind::announce) {
    AnnounceHeader header{request.header,
                          request.ticket,
                          request.bytes,
                          reinterpret_cast<std::uint64_t>(request.start),
                          0,
                          static_cast<std::uint64_t>(request.start != nullptr ? Place::readable : Place::hidden)};
    std::span<const std::byte> exported;
    if (request.device) [[unlikely]] {
      exported = request.device->exported();
      if (!exported.empty()) header.place = static_cast<std::uint64_t>(Place::device);
    }
    sent = send_frame(peer, header, exported.data(), static_cast<Count>(exported.size()));
  } else {
    const std::byte* payload = request.cursor ? stage(request, request.bytes) : request.start;
    if (request.device) [[unlikely]] {
      Result<std::span<const std::byte>> whole = request.device->read_first(request.bytes);
      if (!whole) {
        finish_send(request, whole.error());
        return true;
      }
      payload = whole->data();
    }
    if (request.header.kind == FrameKind::eager_sync)
      sent = send_frame(peer, EagerSyncHeader{request.header, request.ticket}, payload, request.bytes);
    else
      sent = send_frame(peer, request.header, payload, request.bytes);
  }
  if (sent == btl::Sent::full) return false;

  if (sent == btl::Sent::yes) count_sent(request.bytes);
  if (request.header.kind == FrameKind::announce) counters.rendezvous_sent.add(1);
  if (request.stage == SendStage::queued) peer.outgoing.remove(request);
  request.stage = SendStage::idle;
  if (sent == btl::Sent::dead) {
    on_lost(peer.id, Error(ErrorClass::other, "the process has left"));
    finish_send(request, peer.why_lost);
  } else if (request.header.kind == FrameKind::eager) {
    finish_send(request, {});
  } else {
    request.stage = SendStage::awaiting;
    peer.awaiting.push_back(request);
  }
  return true;
}

// ---- answers, and the pieces of a large message ----

SendRequest* Pml::find_send(PeerId from, std::uint64_t ticket, SendStage stage) const {
  Request* found = tickets_.find(ticket);
  if (found == nullptr || found->request_kind != RequestKind::send) return nullptr;
  auto* request = static_cast<SendRequest*>(found);
  return request->peer->id == from && request->stage == stage ? request : nullptr;
}

bool Pml::on_clear_to_send(PeerId from, const ClearToSendHeader& header) {
  SendRequest* request = find_send(from, header.send_request, SendStage::awaiting);
  if (request == nullptr || request->header.kind != FrameKind::announce) return false;
  if (header.bytes <= 0 || header.bytes > request->bytes) return false;
  Peer& peer = *request->peer;
  peer.awaiting.remove(*request);
  request->asked_again = false;
  request->receive_request = header.receive_request;
  request->bytes = header.bytes;
  request->stage = SendStage::streaming;
  peer.streams.push_back(*request);
  mark_busy(peer);
  flush(peer);
  return true;
}

// Small frames first, so that the receiver begins to copy early; then larger ones, which cost less.
bool Pml::try_stream(SendRequest& request) {
  Peer& peer = *request.peer;
  const Count most =
      std::min(static_cast<Count>(peer.bulk_bytes), std::max(static_cast<Count>(peer.first_bulk_bytes), request.sent));
  Count bytes = std::min(request.bytes - request.sent, most);
  const std::byte* payload = nullptr;
  DataHeader header;
  header.receive_request = request.receive_request;
  Error unreadable;
  if (request.device) [[unlikely]] {
    Result<std::span<const std::byte>> part = request.device->read(request.sent, bytes, request.bytes);
    if (part && part->empty()) return false;
    if (!part) unreadable = part.error();
    header.failed = part ? 0 : 1;
    payload = part ? part->data() : nullptr;
    bytes = part ? static_cast<Count>(part->size()) : 0;
  } else {
    payload = request.cursor ? stage(request, bytes) : request.start + request.sent;
  }
  const btl::Sent sent = send_frame(peer, header, payload, bytes);
  if (sent == btl::Sent::full) return false;
  if (sent == btl::Sent::dead) {
    on_lost(peer.id, Error(ErrorClass::other, "the process has left"));
    return true;
  }
  if (unreadable) [[unlikely]] {
    finish_send(request, unreadable);
    return true;
  }
  request.sent += bytes;
  moved();
  if (request.sent == request.bytes) finish_send(request, {});
  return true;
}

bool Pml::on_reply(PeerId from, const ReplyHeader& header) {
  SendRequest* request = find_send(from, header.send_request, SendStage::awaiting);
  if (request == nullptr || (header.kind == FrameKind::fetched) != (request->header.kind == FrameKind::announce))
    return false;
  if (!request->asked_again) finish_send(*request, {});
  return true;
}

// A message that has left can be called back until it is matched. If it was, its answer is under way and the send ends as
// always.
void Pml::cancel(SendRequest& request) {
  if (request.stage == SendStage::queued) {
    set_status_cancelled(request.status, true);
    return finish_send(request, {});
  }
  if (request.stage != SendStage::awaiting) return;
  RecallHeader header;
  header.send_request = request.ticket;
  header.context = request.header.context;
  reply(*request.peer, header);
}

bool Pml::on_recalled(PeerId from, const ReplyHeader& header) {
  SendRequest* request = find_send(from, header.send_request, SendStage::awaiting);
  if (request == nullptr) return false;
  set_status_cancelled(request->status, true);
  finish_send(*request, {});
  return true;
}

void Pml::finish_send(SendRequest& request, Error error) {
  switch (request.stage) {
    case SendStage::idle:
      break;
    case SendStage::queued:
      request.peer->outgoing.remove(request);
      break;
    case SendStage::awaiting:
      request.peer->awaiting.remove(request);
      break;
    case SendStage::streaming:
      request.peer->streams.remove(request);
      break;
  }
  request.stage = SendStage::idle;
  if (request.ticket != 0) {
    tickets_.retire(request.ticket);
    request.ticket = 0;
  }
  if (staged_for_ == &request) staged_for_ = nullptr;
  if (request.device) [[unlikely]]
    request.device->end();
  if (request.bsend_space != nullptr) {
    request.bsend->give_back(request.bsend_space);
    request.bsend_space = nullptr;
    bsends_left_.fetch_add(1, std::memory_order_relaxed);  // read by who waits for the buffer, under the lock
  }
  request.error = error;
  const bool released = request.released;
  request.complete.store(true, std::memory_order_release);  // pairs with Request::done
  if (released) release(static_cast<Request*>(&request));
}

// ---- buffered sends ----

// Copies the message into the attached buffer and sends it from there, by a request of its own that frees itself.
Error Pml::send_buffered(SendRequest& original) {
  BsendBuffer& buffer = bsend_buffer_for(*original.comm);
  if (!buffer.attached()) return Error(ErrorClass::buffer, "no buffer is attached for buffered sends");
  const Count bytes = pack_size(original.data);
  std::byte* place = buffer.take(bytes);
  for (int turns = 0; place == nullptr && turns < 16; ++turns) {  // messages in it may be able to leave
    blocking_.turn();
    place = buffer.take(bytes);
  }
  if (place == nullptr)
    return make_error(ErrorClass::buffer, "the buffer attached for buffered sends has no room left for %lld bytes",
                      static_cast<long long>(bytes));
  Error unreadable;
  if (original.device) {
    unreadable = original.device->start();
    if (!unreadable) unreadable = original.device->pack(place);
  } else if (bytes > 0) {
    PackCursor(original.data).pack(place, static_cast<std::size_t>(bytes));
  }
  if (unreadable) {
    buffer.give_back(place);
    return unreadable;
  }

  SendRequest* copy = sends_.take(*this);
  copy->ops = &RequestTables::send;
  copy->comm = original.comm;
  copy->blocking = &blocking_;
  copy->peer = original.peer;
  copy->data = Buffer(place, bytes, &datatype_of(MPI_BYTE));
  copy->header = original.header;
  copy->bsend = &buffer;
  copy->bsend_space = place;
  copy->released = true;
  hold_objects(*copy, *original.comm, copy->data);
  start(*copy);
  return {};
}

// ---- the table of operations ----

const RequestOps RequestTables::send = {
    .start =
        [](Request& request) {
          auto& send = static_cast<SendRequest&>(request);
          send.pml->start(send);
          return Error();
        },
    .cancel =
        [](Request& request) {
          auto& send = static_cast<SendRequest&>(request);
          send.pml->cancel(send);
          return Error();
        },
    .finish = [](Request& request) { return request.error; },
    .destroy =
        [](Request& request) {
          auto& send = static_cast<SendRequest&>(request);
          Pml& pml = *send.pml;
          release_objects(send);
          pml.sends_.give_back(&send);
        },
    .facts =
        [](const Request& request) {
          const auto& send = static_cast<const SendRequest&>(request);
          flight::WaitFacts facts{.context = send.header.context, .tag = send.header.tag, .shape = flight::Shape::send};
          if (send.peer != nullptr) facts.world = send.peer->id;
          return facts;
        },
};

}  // namespace ompi_lite::pml
