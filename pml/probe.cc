// SPDX-License-Identifier: BSD-3-Clause
// Looking at messages, and taking them out of the queue before there is a receive.
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/handle.h"
#include "pml/context.h"
#include "pml/holding.h"
#include "pml/peer.h"

namespace ompi_lite::pml {

Message& no_process_message() {
  // Never destroyed: applications use it until they exit.
  alignas(Message) static std::byte storage[sizeof(Message)];
  static Message* const message = new (storage) Message(reinterpret_cast<std::uintptr_t>(MPI_MESSAGE_NO_PROC));
  return *message;
}

namespace {

void describe(const Message& message, MPI_Status* status) {
  if (status != nullptr) set_status(*status, message.source, message.tag, message.bytes);
}

}  // namespace

Message* Pml::find_unexpected(const Envelope& from) {
  const UnexpectedList& unexpected = context_of(from.comm).queues(from.plane).unexpected;
  return unexpected.empty() ? nullptr : static_cast<Message*>(unexpected.find(from.peer, from.tag));
}

// Looks, and if there is nothing looks around once; callers do so in loops.
Message* Pml::look_for(const Envelope& from) {
  Message* found = find_unexpected(from);
  if (found != nullptr) return found;
  blocking_.look();
  return find_unexpected(from);
}

Result<Message*> Pml::wait_for(const Envelope& from) {
  for (;;) {
    if (Message* found = look_for(from)) return found;
    if (any_lost_) OL_TRY(lost_source(from.comm, from.peer));
    // Whatever comes after this is seen: we hold the lock until the waiting begins.
    const std::uint64_t seen = arrivals_.load(std::memory_order_relaxed);
    blocking_.until(
        [&] { return arrivals_.load(std::memory_order_acquire) != seen; });  // pairs with keep_unexpected, on_lost
  }
}

void Pml::take_out(const Envelope& from, Message& message) {
  context_of(from.comm).queues(from.plane).unexpected.remove(message);
  message.comm = retain(&from.comm);
}

Error Pml::probe(const Envelope& from, MPI_Status* status) {
  if (from.peer == MPI_PROC_NULL) {
    if (status != nullptr) set_status_proc_null(*status);
    return {};
  }
  Result<Message*> found = wait_for(from);
  if (!found) return found.error();
  describe(**found, status);
  return {};
}

Error Pml::iprobe(const Envelope& from, bool& flag, MPI_Status* status) {
  flag = true;
  if (from.peer == MPI_PROC_NULL) {
    if (status != nullptr) set_status_proc_null(*status);
    return {};
  }
  Message* found = look_for(from);
  flag = found != nullptr;
  if (flag) describe(*found, status);
  return {};
}

Error Pml::mprobe(const Envelope& from, Message*& message, MPI_Status* status) {
  if (from.peer == MPI_PROC_NULL) {
    if (status != nullptr) set_status_proc_null(*status);
    message = &no_process_message();
    return {};
  }
  Result<Message*> found = wait_for(from);
  if (!found) return found.error();
  message = *found;
  take_out(from, *message);
  describe(*message, status);
  return {};
}

Error Pml::improbe(const Envelope& from, bool& flag, Message*& message, MPI_Status* status) {
  if (from.peer == MPI_PROC_NULL) {
    flag = true;
    return mprobe(from, message, status);
  }
  message = look_for(from);
  flag = message != nullptr;
  if (!flag) return {};
  take_out(from, *message);
  describe(*message, status);
  return {};
}

Error Pml::imrecv(const Buffer& data, Message*& message, Request*& request) {
  Message& taken = *message;
  ReceiveRequest* made = receives_.take(*this);
  if (taken.predefined) {
    made->ops = &RequestTables::receive;
    made->blocking = &blocking_;
    made->source = MPI_PROC_NULL;
    start(*made);
    message = nullptr;
    request = made;
    return {};
  }
  prepare(*made, data, {*taken.comm, taken.source, taken.tag});
  use_device(*made);
  hold_objects(*made, *taken.comm, data);
  begin_matched(*made, taken);
  message = nullptr;
  request = made;
  return {};
}

Error Pml::mrecv(const Buffer& data, Message*& message, MPI_Status* status) {
  Message& taken = *message;
  if (taken.predefined) {
    if (status != nullptr) set_status_proc_null(*status);
    message = nullptr;
    return {};
  }
  Request* request = nullptr;
  OL_TRY(imrecv(data, message, request));
  return wait(*request, status);
}

// A receive for a message that is matched already.
void Pml::begin_matched(ReceiveRequest& request, Message& message) {
  Communicator* comm = message.comm;
  Error error;
  if (request.room > 0 && request.start == nullptr) error = begin_pieces(request);
  if (error) {
    release_sender(*message.peer, message.frame_kind, message.send_request);
    free_message(message);
    finish_receive(request, error);
  } else {
    accept(request, message);
  }
  release(comm);
}

Error Pml::wait(Request& request, MPI_Status* status) {
  blocking_.until([&request] { return request.done(); });
  Request* taken = &request;
  return take_completion(taken, status);
}

}  // namespace ompi_lite::pml
