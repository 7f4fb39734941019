// SPDX-License-Identifier: BSD-3-Clause
// The receiving side: posting, matching, delivery; and what to do with a message that nobody asked for yet.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/counters.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/datatype.h"
#include "pml/context.h"
#include "pml/holding.h"
#include "pml/peer.h"

namespace ompi_lite::pml {

// ---- blocking and nonblocking calls ----

Error Pml::recv(const Buffer& data, const Envelope& from, MPI_Status* status) {
  if (from.peer == MPI_PROC_NULL) {
    if (status != nullptr) set_status_proc_null(*status);
    return {};
  }
  ReceiveRequest request(*this);
  prepare(request, data, from);
  start(request);
  complete(request, from);
  if (status != nullptr) {
    const int untouched = status->MPI_ERROR;
    *status = request.status;
    status->MPI_ERROR = untouched;
  }
  return request.error ? RequestTables::receive.finish(request) : Error();
}

Error Pml::irecv(const Buffer& data, const Envelope& from, Request*& request) {
  OL_TRY(recv_init(data, from, request));
  request->persistent = false;
  auto& made = static_cast<ReceiveRequest&>(*request);
  start(made);
  return made.device && made.device->refused() ? take_completion(request, nullptr) : Error();
}

Error Pml::recv_init(const Buffer& data, const Envelope& from, Request*& request) {
  ReceiveRequest* made = receives_.take(*this);
  prepare(*made, data, from);
  use_device(*made);
  made->persistent = true;
  made->active = false;
  hold_objects(*made, from.comm, data);
  request = made;
  return {};
}

void Pml::prepare(ReceiveRequest& request, const Buffer& data, const Envelope& from) {
  request.ops = &RequestTables::receive;
  request.comm = &from.comm;
  request.blocking = &blocking_;
  request.context = &context_of(from.comm);
  request.plane = from.plane;
  request.signature = from.signature;
  request.source = from.peer;
  request.tag = from.tag;
  request.data = data;
  request.room = pack_size(data);
  request.start = request.room > 0 ? contiguous_start(data) : nullptr;
}

void Pml::start(ReceiveRequest& request) {
  request.complete.store(false, std::memory_order_relaxed);  // nobody waits for it yet
  request.active = true;
  request.error = {};
  if (request.source == MPI_PROC_NULL) {
    set_status_proc_null(request.status);
    return finish_receive(request, {});
  }
  if (request.room > 0 && request.start == nullptr) {
    if (Error error = begin_pieces(request)) return finish_receive(request, error);
  }
  Queues& queues = request.context->queues(request.plane);
  if (!queues.unexpected.empty()) {
    if (MatchEntry* found = queues.unexpected.find(request.source, request.tag)) {
      queues.unexpected.remove(*found);
      return accept(request, static_cast<Message&>(*found));
    }
  }
  if (any_lost_) [[unlikely]] {
    if (Error error = lost_source(*request.comm, request.source)) return finish_receive(request, error);
  }
  request.posted = true;
  queues.posted.add(request);
}

void Pml::use_device(ReceiveRequest& request) {
  if (request.data.space != MemorySpace::device) [[likely]]
    return;
  request.start = nullptr;
  request.device = std::make_unique<DeviceData>(request.data);
}

Error Pml::begin_pieces(ReceiveRequest& request) {
  if (request.device) return request.device->start();
  request.cursor.emplace(request.data);
  return {};
}

// The next bytes of a message whose buffer is not one piece of host memory.
void Pml::put_piece(ReceiveRequest& request, std::span<const std::byte> bytes) {
  if (request.device)
    request.device->write(bytes);
  else
    request.cursor->unpack(bytes.data(), bytes.size());
}

// An error if a message from there can never come, or (any source) might not.
Error Pml::lost_source(Communicator& comm, int source) {
  const auto check = [this](PeerId id) {
    const auto index = static_cast<std::size_t>(id);
    return index < peers_.size() && peers_[index] && peers_[index]->lost ? peers_[index]->why_lost : Error();
  };
  if (source != MPI_ANY_SOURCE) return check(comm.peer(source));
  for (int rank = 0; rank < comm.remote_size(); ++rank)
    if (Error error = check(comm.peer(rank))) return error;
  return {};
}

// ---- matching ----

namespace {

// Of the first frame of a message; 0 if nobody waits for an answer to it.
std::uint64_t send_request_of(std::span<const std::byte> frame) {
  switch (reinterpret_cast<const MatchHeader*>(frame.data())->kind) {
    case FrameKind::eager_sync:
      return reinterpret_cast<const EagerSyncHeader*>(frame.data())->send_request;
    case FrameKind::announce:
      return reinterpret_cast<const AnnounceHeader*>(frame.data())->send_request;
    default:
      return 0;
  }
}

}  // namespace

bool Pml::on_match(PeerId from, std::span<const std::byte> frame) {
  const auto& header = *reinterpret_cast<const MatchHeader*>(frame.data());
  if (header.source < 0 || header.tag == MPI_ANY_TAG) [[unlikely]]  // the queues would take them for wildcards
    return false;
  if (header.kind == FrameKind::announce && reinterpret_cast<const AnnounceHeader*>(frame.data())->bytes < 0) return false;
  Context& found = context(header.context & ~std::uint64_t{1});
  MatchEntry* entry = found.queues(static_cast<Plane>(header.context & 1)).posted.take(header.source, header.tag);
  if (entry == nullptr) {
    if ((header.context & 1) != 0 && found.collectives.given_up(header.tag)) [[unlikely]] {
      compare_calls(found, header, true);
      release_sender(peer(from), header.kind, send_request_of(frame));
    } else {
      keep_unexpected(found, peer(from), frame);
    }
    return true;
  }

  auto& request = static_cast<ReceiveRequest&>(*entry);
  request.posted = false;
  if (!request.signature.fits(header.signature())) [[unlikely]] {
    refuse(request, peer(from), header.source, header.kind, send_request_of(frame), header.signature());
    return true;
  }
  if (header.kind == FrameKind::eager) [[likely]] {
    deliver(request, header.source, header.tag, frame.subspan(sizeof(MatchHeader)));
    return true;
  }
  if (header.kind == FrameKind::eager_sync) {
    const std::uint64_t send_request = reinterpret_cast<const EagerSyncHeader*>(frame.data())->send_request;
    deliver(request, header.source, header.tag, frame.subspan(sizeof(EagerSyncHeader)));
    match_reply(peer(from), send_request);
    return true;
  }
  const auto& announce = *reinterpret_cast<const AnnounceHeader*>(frame.data());
  const btl::RemoteRegion region{announce.address, static_cast<std::uint64_t>(announce.bytes), announce.key};
  const auto place = static_cast<Place>(announce.place);
  begin_large(request, peer(from), header.source, header.tag, announce.send_request, announce.bytes,
              place == Place::readable ? &region : nullptr, frame.subspan(sizeof(AnnounceHeader)));
  return true;
}

void Pml::deliver(ReceiveRequest& request, int source, int tag, std::span<const std::byte> payload) {
  const std::size_t bytes = std::min(payload.size(), static_cast<std::size_t>(request.room));
  if (bytes > 0) {
    if (request.start != nullptr)
      copy_bytes(request.start, payload.data(), bytes);
    else
      put_piece(request, payload.first(bytes));
  }
  counters.messages_received.add(1);
  counters.bytes_received.add(bytes);
  request.announced = static_cast<Count>(payload.size());
  set_status(request.status, source, tag, static_cast<Count>(bytes));
  finish_receive(request, request.device ? request.device->flush() : Error());
}

void Pml::match_reply(Peer& to, std::uint64_t send_request) { reply(to, ReplyHeader{FrameKind::matched, {}, send_request}); }

void Pml::finish_receive(ReceiveRequest& request, Error error) {
  if (request.device) [[unlikely]] {
    request.device->end();
    std::erase(device_fetches_, &request);
  }
  if (request.receiving) {
    request.receiving = false;
    request.peer->receiving.remove(request);
    if (request.ticket != 0) {
      tickets_.retire(request.ticket);
      request.ticket = 0;
    }
  }
  if (!error && request.announced > request.room) [[unlikely]]
    error = Error(ErrorClass::truncate, "the message is longer than the receive buffer");
  request.error = error;
  const bool released = request.released;
  request.complete.store(true, std::memory_order_release);  // pairs with Request::done
  if (released) release(static_cast<Request*>(&request));
}

// ---- messages that came before their receives ----

Message* new_message(std::size_t payload_bytes) {
  void* memory = std::malloc(sizeof(Message) + payload_bytes);
  return memory != nullptr ? new (memory) Message : nullptr;
}

void free_message(Message& message) {
  counters.unexpected_messages.subtract(1);
  if (message.frame_kind != FrameKind::announce)
    counters.unexpected_bytes.subtract(static_cast<std::uint64_t>(message.bytes));
  if (message.fortran_index >= 0) [[unlikely]]
    forget_int(message);
  message.~Message();
  std::free(&message);
}

void Pml::keep_unexpected(Context& context, Peer& from, std::span<const std::byte> frame) {
  const auto& header = *reinterpret_cast<const MatchHeader*>(frame.data());
  const std::span<const std::byte> payload = frame.subspan(header_bytes(header.kind));

  Message* message = new_message(payload.size());
  OL_CHECK(message != nullptr, payload.size());
  counters.unexpected_messages.add(1);
  if (header.kind != FrameKind::announce) counters.unexpected_bytes.add(payload.size());
  counters.unexpected_most.raise_to(counters.unexpected_messages.value());
  message->pml = this;
  message->peer = &from;
  message->frame_kind = header.kind;
  message->source = header.source;
  message->tag = header.tag;
  message->signature = header.signature();
  message->bytes = static_cast<Count>(payload.size());
  if (header.kind == FrameKind::eager_sync) {
    message->send_request = reinterpret_cast<const EagerSyncHeader*>(frame.data())->send_request;
  } else if (header.kind == FrameKind::announce) {
    const auto& announce = *reinterpret_cast<const AnnounceHeader*>(frame.data());
    message->bytes = announce.bytes;
    message->send_request = announce.send_request;
    message->address = announce.address;
    message->key = announce.key;
    message->place = static_cast<Place>(announce.place);
    message->exported = payload.size();
  }
  if (!payload.empty()) copy_bytes(message->payload(), payload.data(), payload.size());
  if (message->signature.checked())  // an empty one is the farewell of a rank that has failed: Direct::fail
    compare_calls(context, header, message->bytes == 0);
  context.queues(static_cast<Plane>(header.context & 1)).unexpected.add(*message);
  arrivals_.store(arrivals_.load(std::memory_order_relaxed) + 1, std::memory_order_release);  // pairs with Pml::wait_for
}

void Pml::on_recall(Peer& from, const RecallHeader& header) {
  Context& found_in = context(header.context & ~std::uint64_t{1});
  UnexpectedList& unexpected = found_in.queues(static_cast<Plane>(header.context & 1)).unexpected;
  Message* found = nullptr;
  unexpected.for_each([&](MatchEntry& entry) {
    auto& message = static_cast<Message&>(entry);
    if (message.peer == &from && message.send_request == header.send_request) found = &message;
  });
  if (found == nullptr) return;  // matched: the sender has, or gets, the answer to that
  unexpected.remove(*found);
  free_message(*found);
  reply(from, ReplyHeader{FrameKind::recalled, {}, header.send_request});
}

void Pml::accept(ReceiveRequest& request, Message& message) {
  Peer& from = *message.peer;
  if (!request.signature.fits(message.signature)) [[unlikely]] {
    refuse(request, from, message.source, message.frame_kind, message.send_request, message.signature);
    return free_message(message);
  }
  switch (message.frame_kind) {
    case FrameKind::announce: {
      const btl::RemoteRegion region{message.address, static_cast<std::uint64_t>(message.bytes), message.key};
      begin_large(request, from, message.source, message.tag, message.send_request, message.bytes,
                  message.place == Place::readable ? &region : nullptr, {message.payload(), message.exported});
      break;
    }
    case FrameKind::eager_sync:
      match_reply(from, message.send_request);
      [[fallthrough]];
    default:
      deliver(request, message.source, message.tag, {message.payload(), static_cast<std::size_t>(message.bytes)});
  }
  free_message(message);
}

// ---- the table of operations ----

const RequestOps RequestTables::receive = {
    .start =
        [](Request& request) {
          auto& receive = static_cast<ReceiveRequest&>(request);
          receive.pml->start(receive);
          return Error();
        },
    .cancel =
        [](Request& request) {
          auto& receive = static_cast<ReceiveRequest&>(request);
          if (!receive.posted) return Error();  // matched or complete: too late
          receive.context->queues(receive.plane).posted.remove(receive);
          receive.posted = false;
          receive.announced = 0;
          set_status_empty(receive.status);
          set_status_cancelled(receive.status, true);
          receive.pml->finish_receive(receive, {});
          return Error();
        },
    .finish =
        [](Request& request) {
          auto& receive = static_cast<ReceiveRequest&>(request);
          if (request.error.error_class() != ErrorClass::truncate) return request.error;
          return make_error(ErrorClass::truncate,
                            "the message from rank %d with tag %d has %lld bytes, the receive buffer has room for %lld",
                            request.status.MPI_SOURCE, request.status.MPI_TAG, static_cast<long long>(receive.announced),
                            static_cast<long long>(receive.room));
        },
    .destroy =
        [](Request& request) {
          auto& receive = static_cast<ReceiveRequest&>(request);
          Pml& pml = *receive.pml;
          release_objects(receive);
          pml.receives_.give_back(&receive);
        },
    .facts =
        [](const Request& request) {
          const auto& receive = static_cast<const ReceiveRequest&>(request);
          const Communicator& comm = *receive.comm;
          flight::WaitFacts facts{
              .context = comm.context(), .peer = receive.source, .tag = receive.tag, .shape = flight::Shape::receive};
          if (receive.source >= 0 && receive.source < comm.remote_size()) facts.world = comm.peer(receive.source);
          return facts;
        },
};

}  // namespace ompi_lite::pml
