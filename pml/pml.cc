// SPDX-License-Identifier: BSD-3-Clause
// The Pml's tables of peers and communicators, and what leaves and arrives.
#include "pml/pml.h"

#include <algorithm>
#include <cstring>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/context_id.h"
#include "pml/context.h"
#include "pml/peer.h"
#include "pml/tune.h"

namespace ompi_lite::pml {

Pml::Pml(PeerId self, std::span<const std::unique_ptr<btl::Transport>> transports, AddressBook& addresses,
         Blocking& blocking)
    : self_(self), transports_(transports), addresses_(addresses), blocking_(blocking) {}

// What is left belongs to communicators that were never made here.
Pml::~Pml() {
  for (auto& [id, context] : contexts_) drop_messages(*context);
}

Pml& of(Communicator& comm) { return context_of(comm).pml; }

// ---- communicators ----

ContextAttachment::~ContextAttachment() { context->pml.drop_context(*context); }

void Pml::attach(Communicator& comm) {
  Context& found = context(comm.context());
  found.comm = &comm;
  comm.pml_state = std::make_unique<ContextAttachment>(found);
}

// Also called for ids that this process does not know yet: another member may be done with creating the communicator and
// send.
Context& Pml::context(ContextId id) {
  if (last_context_ != nullptr && last_context_->id == id) return *last_context_;
  std::unique_ptr<Context>& slot = contexts_[id];
  if (!slot) slot = std::make_unique<Context>(*this, id);
  last_context_ = slot.get();
  return *slot;
}

void Pml::drop_context(Context& context) {
  if (last_context_ == &context) last_context_ = nullptr;
  drop_messages(context);
  contexts_.erase(context.id);
}

void Pml::drop_messages(Context& context) {
  for (Queues& queues : context.planes)
    while (MatchEntry* entry = queues.unexpected.oldest()) {
      queues.unexpected.remove(*entry);
      free_message(static_cast<Message&>(*entry));
    }
}

// ---- peers ----

Peer& Pml::peer(PeerId id) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= peers_.size()) peers_.resize(index + 1);
  if (!peers_[index]) peers_[index] = std::make_unique<Peer>(id);
  return *peers_[index];
}

Result<Peer*> Pml::reachable(PeerId id) {
  Peer& found = peer(id);
  if (!found.endpoint) [[unlikely]]
    OL_TRY(connect(found));
  if (found.lost) [[unlikely]]
    return found.why_lost;
  return &found;
}

bool Pml::idle(PeerId id) const {
  const auto index = static_cast<std::size_t>(id);
  if (index >= peers_.size() || !peers_[index]) return true;
  Peer& found = *peers_[index];
  return !found.busy() && found.awaiting.empty() && found.receiving.empty();
}

void Pml::drop_peer(PeerId id) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= peers_.size() || !peers_[index]) return;
  OL_CHECK(idle(id), id);
  if (static_cast<ListNode&>(*peers_[index]).linked()) busy_.remove(*peers_[index]);
  peers_[index].reset();
}

namespace {

// Asking first costs two more crossings: a message that is sent in less time than that goes at once, unless the user said
// how large it may be.
Count eager_limit(const btl::TransportInfo& info) {
  if (eager_bytes.source() != KnobSource::preset) return eager_bytes.value();
  return std::max(eager_bytes.value(), Count{2} * info.latency_ns * info.bytes_per_us / 1000);
}

}  // namespace

Error Pml::connect(Peer& peer) {
  Error last(ErrorClass::other, "no transport is in use");
  for (const std::unique_ptr<btl::Transport>& transport : transports_) {
    Result<std::vector<std::byte>> address = addresses_.address(peer.id, *transport);
    if (!address) {
      last = address.error();
      continue;
    }
    Result<std::unique_ptr<btl::Endpoint>> endpoint = transport->connect(peer.id, *address);
    if (!endpoint) {
      last = endpoint.error();
      continue;
    }
    const btl::TransportInfo& info = transport->info();
    const std::size_t most = info.max_frame - kLargestHeader;
    peer.endpoint = std::move(endpoint).value();
    peer.eager_bytes = std::min(eager_limit(info), static_cast<Count>(std::min(most, kMostEager)));
    peer.bulk_bytes = std::min(std::max<std::size_t>(info.bulk_frame, 2 * kLargestHeader) - kLargestHeader, most);
    peer.first_bulk_bytes = info.stream ? peer.bulk_bytes : kFirstBulkBytes;
    peer.can_get = peer.near = info.one_sided;
    peer.get_from = info.get_from;
    peer.learn_from = info.learn_from;
    peer.share_from = info.share_from;
    OL_LOG(debug, "peer %d reached by %s", peer.id, info.name);
    return {};
  }
  return make_error(last.error_class(), "peer %d cannot be reached: %s", peer.id, last.sentence());
}

void Pml::mark_busy(Peer& peer) {
  if (!static_cast<ListNode&>(peer).linked()) busy_.push_back(peer);
}

// Sends what waits, oldest first; pieces of large messages only when nothing else waits. True if anything left.
bool Pml::flush(Peer& peer) {
  bool moved = false;
  while (Outgoing* first = peer.outgoing.front()) {
    if (first->is_request) {
      if (!try_first_frame(static_cast<SendRequest&>(*first))) return moved;
    } else {
      auto& queued = static_cast<QueuedReply&>(*first);
      const btl::Sent sent = peer.endpoint->try_send({queued.header, queued.bytes}, {});
      if (sent == btl::Sent::full) return moved;
      peer.outgoing.remove(queued);
      replies_.give_back(&queued);
      if (sent == btl::Sent::dead) on_lost(peer.id, Error(ErrorClass::other, "the process has left"));
    }
    moved = true;
  }
  for (int frames = 0; frames < kFramesPerTurn; ++frames) {
    SendRequest* request = peer.streams.front();
    if (request == nullptr || !try_stream(*request)) break;
    moved = true;
  }
  return moved;
}

bool Pml::progress() {
  bool moved = false;
  Peer* next = nullptr;
  for (Peer* peer = busy_.front(); peer != nullptr; peer = next) {
    next = busy_.after(*peer);
    moved |= flush(*peer);
    if (!peer->busy()) busy_.remove(*peer);
  }
  if (!watched_.empty()) [[unlikely]]
    moved |= poll_watched();
  if (!device_fetches_.empty()) [[unlikely]]
    moved |= poll_device_fetches();
  if (device::Work::any() && !moved) [[unlikely]] {  // no bell will ring for it
    blocking_.waiter().relax();
    return true;
  }
  return moved;
}

void Pml::watch(PolledRequest& request) {
  request.blocking = &blocking_;
  watched_.push_back(request);
}

bool Pml::poll_watched() {
  bool any = false;
  PolledRequest* next = nullptr;
  for (PolledRequest* request = watched_.front(); request != nullptr; request = next) {
    next = watched_.after(*request);
    if (!request->is_done(*request)) continue;
    any = true;
    watched_.remove(*request);
    const bool released = request->released;
    request->complete.store(true, std::memory_order_release);  // pairs with Request::done
    if (released) release(static_cast<Request*>(request));
  }
  return any;
}

template <class Header>
void Pml::reply(Peer& peer, const Header& header) {
  static_assert(sizeof header <= sizeof QueuedReply::header);
  if (!peer.endpoint) {
    if (Error error = connect(peer)) return on_lost(peer.id, error);
  }
  if (peer.lost) return;
  if (peer.outgoing.empty()) {
    const btl::Sent sent = peer.endpoint->try_send(std::as_bytes(std::span(&header, 1)), {});
    if (sent == btl::Sent::yes) return;
    if (sent == btl::Sent::dead) return on_lost(peer.id, Error(ErrorClass::other, "the process has left"));
  }
  QueuedReply* queued = replies_.take();
  std::memcpy(queued->header, &header, sizeof header);
  queued->bytes = sizeof header;
  peer.outgoing.push_back(*queued);
  mark_busy(peer);
}
template void Pml::reply(Peer&, const ReplyHeader&);
template void Pml::reply(Peer&, const ClearToSendHeader&);
template void Pml::reply(Peer&, const RecallHeader&);
template void Pml::reply(Peer&, const ShareHeader&);
template void Pml::reply(Peer&, const PlacedHeader&);
template void Pml::reply(Peer&, const MatchHeader&);

// True while a message lies here (buffered, or its request was freed, or forgotten) whose receiver may still come for it.
// One to oneself will never be received any more.
bool Pml::may_be_asked_for_messages() {
  for (const std::unique_ptr<Peer>& peer : peers_) {
    if (!peer || peer->id == self_ || peer->lost || peer->awaiting.empty()) continue;
    if (!peer->endpoint->peer_leaves()) return true;
  }
  return false;
}

bool Pml::flushed() const {
  return busy_.empty() && std::ranges::all_of(transports_, [](const auto& each) { return each->drained(); });
}

void Pml::flush() {
  blocking_.until([this] { return flushed(); });
}

void Pml::drain(const std::atomic<bool>* all_finalize) {
  blocking_.until([this, all_finalize] {
    if (!flushed()) return false;
    // acquire: a rank that finalizes has sent its last replies before
    return all_finalize != nullptr ? all_finalize->load(std::memory_order_acquire) : !may_be_asked_for_messages();
  });
  while (blocking_.turn()) {  // the last replies
  }
}

// ---- arrivals ----

// The header is there. False if the frame is about a message that does not exist: nothing has happened then.
bool Pml::on_whole_frame(PeerId from, std::span<const std::byte> frame) {
  const auto kind = static_cast<FrameKind>(frame[0]);
  if (kind < FrameKind::compare) moved();
  switch (kind) {
    case FrameKind::eager:
    case FrameKind::eager_sync:
    case FrameKind::announce:
      return on_match(from, frame);
    case FrameKind::data:
      return on_data(from, frame);
    case FrameKind::clear_to_send:
      return on_clear_to_send(from, *reinterpret_cast<const ClearToSendHeader*>(frame.data()));
    case FrameKind::matched:
    case FrameKind::fetched:
      return on_reply(from, *reinterpret_cast<const ReplyHeader*>(frame.data()));
    case FrameKind::share:
      return on_share(from, *reinterpret_cast<const ShareHeader*>(frame.data()));
    case FrameKind::placed:
      return on_placed(from, *reinterpret_cast<const PlacedHeader*>(frame.data()));
    case FrameKind::recall:
      on_recall(peer(from), *reinterpret_cast<const RecallHeader*>(frame.data()));
      return true;
    case FrameKind::recalled:
      return on_recalled(from, *reinterpret_cast<const ReplyHeader*>(frame.data()));
    case FrameKind::compare:
    case FrameKind::differs:
      return on_comparison(*reinterpret_cast<const MatchHeader*>(frame.data()));
  }
  return false;
}

// After a damaged frame nothing that comes from this peer can be trusted.
void Pml::on_frame(btl::PeerId from, std::span<const std::byte> frame) {
  if (any_lost_ && peer(from).damaged) [[unlikely]]
    return;
  const std::size_t header = frame.empty() ? 0 : header_bytes(static_cast<FrameKind>(frame[0]));
  if (header != 0 && frame.size() >= header && on_whole_frame(from, frame)) [[likely]]
    return;
  OL_LOG(warn, "peer %d sent a damaged frame of %zu bytes, kind %d", from, frame.size(),
         frame.empty() ? 0 : std::to_integer<int>(frame[0]));
  peer(from).damaged = true;
  on_lost(from, Error(ErrorClass::proc_aborted, "what it sends cannot be understood"));
}

namespace {

// Members of the list may go while we walk, so take the first until there is none.
template <class List, class Fail>
void fail_all(List& list, Fail fail) {
  while (auto* first = list.front()) fail(*first);
}

}  // namespace

// Everything that this peer still owed an answer to, or that only it could have sent, ends with an error; so do receives
// from any source, which might wait for it.
void Pml::on_lost(btl::PeerId id, Error why) {
  Peer& lost = peer(id);
  if (lost.lost) return;
  lost.lost = any_lost_ = true;
  arrivals_.store(arrivals_.load(std::memory_order_relaxed) + 1, std::memory_order_release);  // pairs with Pml::wait_for
  lost.why_lost = Error(ErrorClass::proc_aborted,
                        lost.damaged ? "the connection to a peer process is lost: what it sends cannot be understood"
                                     : "the connection to a peer process is lost: it has ended or cannot be reached");
  OL_LOG(warn, "peer %d is lost: %s", id, why.sentence());
  while (Outgoing* first = lost.outgoing.front()) {
    if (first->is_request) {
      finish_send(static_cast<SendRequest&>(*first), lost.why_lost);
    } else {
      lost.outgoing.remove(*first);
      replies_.give_back(static_cast<QueuedReply*>(first));
    }
  }
  const auto fail_send = [&](SendRequest& request) { finish_send(request, lost.why_lost); };
  fail_all(lost.awaiting, fail_send);
  fail_all(lost.streams, fail_send);
  fail_all(lost.receiving, [&](ReceiveRequest& request) { finish_receive(request, lost.why_lost); });

  for (auto& [context_id, context] : contexts_) {
    const int rank = context->comm != nullptr ? context->comm->remote_group().rank_of(id) : MPI_UNDEFINED;
    if (rank == MPI_UNDEFINED) continue;
    for (Queues& queues : context->planes)
      queues.posted.for_each([&](MatchEntry& entry) {
        if (entry.source != rank && entry.source != MPI_ANY_SOURCE) return;
        queues.posted.remove(entry);
        auto& request = static_cast<ReceiveRequest&>(entry);
        request.posted = false;
        finish_receive(request, lost.why_lost);
      });
  }
}

}  // namespace ompi_lite::pml
