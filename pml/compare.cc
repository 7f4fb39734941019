// SPDX-License-Identifier: BSD-3-Clause
// Comparing what ranks call: the signatures that collective messages carry, and the question to a rank that sends nothing.
#include <vector>

#include "ompi_lite/base/macros.h"
#include "pml/context.h"
#include "pml/frame.h"
#include "pml/peer.h"
#include "pml/requests.h"

namespace ompi_lite::pml {

CollectiveLog& log_of(Communicator& comm) { return context_of(comm).collectives; }

void Pml::begin_collective(Communicator& comm, int tag, CallSignature signature) {
  Context& context = context_of(comm);
  CollectiveLog& log = context.collectives;
  log.begin(tag, signature);
  if (!signature.checked()) return;
  UnexpectedList& unexpected = context.queues(Plane::collective).unexpected;
  if (!unexpected.empty()) {
    unexpected.for_each([&](MatchEntry& entry) {
      if (entry.tag == tag) log.compare(tag, static_cast<Message&>(entry).signature, entry.source);
    });
  }
  const int asker = log.compare_asked(tag);
  if (asker >= 0 && log.found()) [[unlikely]]
    tell(FrameKind::differs, {comm, asker, tag, Plane::collective, signature});
}

void Pml::give_up_collective(Communicator& comm, int tag) {
  Context& context = context_of(comm);
  context.collectives.give_up(tag);
  UnexpectedList& unexpected = context.queues(Plane::collective).unexpected;
  std::vector<Message*> unwanted;  // answering may bring other messages
  unexpected.for_each([&](MatchEntry& entry) {
    if (entry.tag == tag) unwanted.push_back(static_cast<Message*>(&entry));
  });
  for (Message* message : unwanted) unexpected.remove(*message);
  for (Message* message : unwanted) {
    release_sender(*message->peer, message->frame_kind, message->send_request);
    free_message(*message);
  }
}

// The bytes of its message are not wanted.
void Pml::release_sender(Peer& from, FrameKind kind, std::uint64_t send_request) {
  if (kind == FrameKind::eager_sync) match_reply(from, send_request);
  if (kind == FrameKind::announce) reply(from, ReplyHeader{FrameKind::fetched, {}, send_request});
}

void Pml::tell(FrameKind kind, const Envelope& about) {
  MatchHeader header{};
  header.kind = kind;
  header.source = about.comm.rank();
  header.context = about.comm.context() | static_cast<std::uint64_t>(about.plane);
  header.tag = about.tag;
  header.set_signature(about.signature);
  reply(peer(about.comm.peer(about.peer)), header);
}

void Pml::ask(const Envelope& about) { tell(FrameKind::compare, about); }

bool Pml::on_comparison(const MatchHeader& header) {
  Context& found = context(header.context & ~std::uint64_t{1});
  if (header.source < 0 || (header.context & 1) == 0) return false;
  compare_calls(found, header, true);
  return true;
}

// A message that no receive of ours waits for, or a question, or the answer that the other is elsewhere.
void Pml::compare_calls(Context& context, const MatchHeader& header, bool raised_there) {
  const CallSignature theirs = header.signature();
  const bool collective = (header.context & 1) != 0;
  if (!collective || !theirs.checked() || context.comm == nullptr || header.source >= context.comm->remote_size()) return;
  CollectiveLog& log = context.collectives;
  if (header.kind == FrameKind::compare && !log.ours(header.tag).checked()) {
    return log.asked(header.tag, theirs, header.source);  // too long ago, or to come
  }
  const bool differs = !log.ours(header.tag).fits(theirs);
  // Where the other raises the error a call of ours that is over is not made to fail, nor is the next one.
  const bool over = log.given_up(header.tag) || (raised_there && log.has_left(header.tag));
  if (!over && log.compare(header.tag, theirs, header.source))
    arrivals_.store(arrivals_.load(std::memory_order_relaxed) + 1, std::memory_order_release);  // pairs with Pml::wait_for
  if (differs && header.kind != FrameKind::differs)
    tell(FrameKind::differs, {*context.comm, header.source, header.tag, Plane::collective, log.ours(header.tag)});
}

// A message of another collective came for this receive: its bytes are not wanted.
void Pml::refuse(ReceiveRequest& request, Peer& from, int source, FrameKind kind, std::uint64_t send_request,
                 CallSignature theirs) {
  CollectiveLog& log = request.context->collectives;
  log.compare(request.tag, theirs, source);
  tell(FrameKind::differs, {*request.comm, source, request.tag, Plane::collective, request.signature});
  release_sender(from, kind, send_request);
  request.announced = 0;
  set_status(request.status, source, request.tag, 0);
  finish_receive(request, Error(ErrorClass::other, "the message is of another collective"));
}

// Blocks until the request is done, or it is known that some rank is in another collective; then the request is given up as
// far as that is still possible, and done on return all the same.
void Pml::complete(Request& request, const Envelope& with) {
  if (!with.signature.checked()) return blocking_.until([&request] { return request.done(); });
  const CollectiveLog& log = context_of(with.comm).collectives;
  Patience patience;
  while (!request.done() && !log.found()) {
    bool overdue = false;
    // Asked again after it has said yes.
    blocking_.until([&] { return request.done() || log.found() || overdue || (overdue = patience.over()); });
    if (request.done() || log.found()) break;
    if (request.request_kind == RequestKind::receive) tell(FrameKind::compare, with);
    patience.renew();
  }
  if (request.done()) return;
  if (Error error = request.ops->cancel(request)) OL_LOG(debug, "cancel: %s", error.sentence());
  blocking_.until([&request] { return request.done(); });
}

}  // namespace ompi_lite::pml
