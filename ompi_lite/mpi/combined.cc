// SPDX-License-Identifier: BSD-3-Clause
// Requests that stand for several others.
#include "ompi_lite/mpi/combined.h"

#include <cstdlib>
#include <memory>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/pack.h"
#include "pml/pml.h"

namespace ompi_lite::mpi {
namespace {

using Copy = std::unique_ptr<std::byte, void (*)(void*)>;

Error not_persistent(Request&) { return Error(ErrorClass::request, "the request is not a persistent one"); }

// A send and a receive. The status is the receive's; of two errors the receive's counts.
struct SendReceive : pml::PolledRequest {
  Request* sending = nullptr;
  Request* receiving = nullptr;
  Copy copy{nullptr, std::free};  // isendrecv_replace: what is sent
  Error result;
  bool taken = false;
  SendReceive() : PolledRequest(RequestKind::receive) {}

  void take() {
    if (taken) return;
    taken = true;
    const Error sent = take_completion(sending, nullptr);
    result = take_completion(receiving, &status);
    if (!result) result = sent;
  }
};

constexpr RequestOps kSendReceive = {
    .start = not_persistent,
    .cancel =
        [](Request& request) {
          auto& own = static_cast<SendReceive&>(request);
          return own.receiving->done() ? Error() : own.receiving->ops->cancel(*own.receiving);
        },
    .finish =
        [](Request& request) {
          auto& own = static_cast<SendReceive&>(request);
          own.take();
          return own.result;
        },
    .destroy =
        [](Request& request) {
          auto& own = static_cast<SendReceive&>(request);
          own.take();
          if (!own.comm->predefined) release(own.comm);
          delete &own;
        },
};

Error begin(Copy copy, const Buffer& send, int dest, int sendtag, const Buffer& receive, int source, int recvtag,
            Communicator& comm, Request*& request) {
  pml::Pml& pml = pml::of(comm);
  auto made = std::make_unique<SendReceive>();
  OL_TRY(pml.irecv(receive, {comm, source, recvtag}, made->receiving));
  if (Error error = pml.isend(pml::SendMode::standard, send, {comm, dest, sendtag}, made->sending)) {
    if (!made->receiving->done()) static_cast<void>(made->receiving->ops->cancel(*made->receiving));
    static_cast<void>(pml.wait(*made->receiving, nullptr));
    return error;
  }
  made->copy = std::move(copy);
  made->ops = &kSendReceive;
  made->comm = &comm;
  if (!comm.predefined) retain(&comm);
  made->is_done = [](pml::PolledRequest& self) {
    auto& own = static_cast<SendReceive&>(self);
    return own.sending->done() && own.receiving->done();
  };
  pml.watch(*made);
  request = made.release();
  return {};
}

// Done when every buffered message has left.
struct Flush : pml::PolledRequest {
  pml::BsendBuffer& buffer;
  std::shared_ptr<Attachment> session;  // keeps its buffer; `comm` does the same
  explicit Flush(pml::BsendBuffer& flushed) : PolledRequest(RequestKind::send), buffer(flushed) {}
};

constexpr RequestOps kFlush = {
    .start = not_persistent,
    .cancel = [](Request&) { return Error(); },
    .finish = [](Request&) { return Error(); },
    .destroy =
        [](Request& request) {
          auto& own = static_cast<Flush&>(request);
          release(own.comm);
          delete &own;
        },
};

Request* flush(pml::Pml& pml, pml::BsendBuffer& buffer, Communicator* comm, std::shared_ptr<Attachment> session) {
  auto* made = new Flush(buffer);
  made->ops = &kFlush;
  made->comm = retain(comm);
  made->session = std::move(session);
  set_status_empty(made->status);
  made->is_done = [](pml::PolledRequest& self) { return static_cast<Flush&>(self).buffer.empty(); };
  pml.watch(*made);
  return made;
}

}  // namespace

Error isendrecv(Buffer send, int dest, int sendtag, Buffer receive, int source, int recvtag, Communicator& comm,
                Request*& request) {
  return begin(Copy(nullptr, std::free), send, dest, sendtag, receive, source, recvtag, comm, request);
}

Error isendrecv_replace(Buffer data, int dest, int sendtag, int source, int recvtag, Communicator& comm, Request*& request) {
  const Count bytes = pack_size(data);
  Copy copy(static_cast<std::byte*>(std::malloc(static_cast<std::size_t>(bytes > 0 ? bytes : 1))), std::free);
  if (!copy)
    return make_error(ErrorClass::no_mem, "no memory for a copy of the %lld bytes to be sent",
                      static_cast<long long>(bytes));
  if (bytes > 0) PackCursor(data).pack(copy.get(), static_cast<std::size_t>(bytes));
  const Buffer sent(copy.get(), bytes, &datatype_of(MPI_BYTE));
  return begin(std::move(copy), sent, dest, sendtag, data, source, recvtag, comm, request);
}

Error buffer_iflush(Request*& request) {
  pml::Pml& pml = pml::of(*serving_world);
  request = flush(pml, pml.bsend_buffer(), nullptr, nullptr);
  return {};
}

Error session_iflush_buffer(Session& session, Request*& request) {
  pml::Pml& pml = pml::of(*serving_world);
  request = flush(pml, pml.bsend_buffer(*session.pml_state), nullptr, session.pml_state);
  return {};
}

Error comm_iflush_buffer(Communicator& comm, Request*& request) {
  pml::Pml& pml = pml::of(comm);
  request = flush(pml, pml.bsend_buffer(comm), &comm, nullptr);
  return {};
}

}  // namespace ompi_lite::mpi
