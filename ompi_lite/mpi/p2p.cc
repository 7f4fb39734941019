// SPDX-License-Identifier: BSD-3-Clause
// Sending and receiving: what the standard's functions add to the point-to-point layer.
#include "ompi_lite/mpi/p2p.h"

#include <cstdlib>
#include <memory>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/pack.h"

namespace ompi_lite::mpi {

Error send(pml::SendMode mode, const Buffer& data, int dest, int tag, Communicator& comm) {
  return pml::of(comm).send(mode, data, {comm, dest, tag});
}

Error isend(pml::SendMode mode, const Buffer& data, int dest, int tag, Communicator& comm, Request*& request) {
  return pml::of(comm).isend(mode, data, {comm, dest, tag}, request);
}

Error send_init(pml::SendMode mode, const Buffer& data, int dest, int tag, Communicator& comm, Request*& request) {
  return pml::of(comm).send_init(mode, data, {comm, dest, tag}, request);
}

Error recv(const Buffer& data, int source, int tag, Communicator& comm, MPI_Status* status) {
  return pml::of(comm).recv(data, {comm, source, tag}, status);
}

Error irecv(const Buffer& data, int source, int tag, Communicator& comm, Request*& request) {
  return pml::of(comm).irecv(data, {comm, source, tag}, request);
}

Error recv_init(const Buffer& data, int source, int tag, Communicator& comm, Request*& request) {
  return pml::of(comm).recv_init(data, {comm, source, tag}, request);
}

Error sendrecv(const Buffer& send, int dest, int sendtag, const Buffer& receive, int source, int recvtag, Communicator& comm,
               MPI_Status* status) {
  pml::Pml& pml = pml::of(comm);
  Request* receiving = nullptr;
  OL_TRY(pml.irecv(receive, {comm, source, recvtag}, receiving));
  if (Error error = pml.send(pml::SendMode::standard, send, {comm, dest, sendtag})) {
    if (!receiving->done()) (void)receiving->ops->cancel(*receiving);
    (void)pml.wait(*receiving, nullptr);
    return error;
  }
  return pml.wait(*receiving, status);
}

Error send_by_request(pml::SendMode mode, const Buffer& data, int dest, int tag, Communicator& comm) {
  pml::Pml& pml = pml::of(comm);
  Request* sending = nullptr;
  OL_TRY(pml.isend(mode, data, {comm, dest, tag}, sending));
  return pml.wait(*sending, nullptr);
}

Error recv_by_request(const Buffer& data, int source, int tag, Communicator& comm, MPI_Status* status) {
  pml::Pml& pml = pml::of(comm);
  Request* receiving = nullptr;
  OL_TRY(pml.irecv(data, {comm, source, tag}, receiving));
  return pml.wait(*receiving, status);
}

Error sendrecv_by_requests(const Buffer& send, int dest, int sendtag, const Buffer& receive, int source, int recvtag,
                           Communicator& comm, MPI_Status* status) {
  pml::Pml& pml = pml::of(comm);
  Request* receiving = nullptr;
  OL_TRY(pml.irecv(receive, {comm, source, recvtag}, receiving));
  if (Error error = send_by_request(pml::SendMode::standard, send, dest, sendtag, comm)) {
    if (!receiving->done()) (void)receiving->ops->cancel(*receiving);
    (void)pml.wait(*receiving, nullptr);
    return error;
  }
  return pml.wait(*receiving, status);
}

// The message leaves from a packed copy, which needs no more memory than its data.
Error sendrecv_replace(const Buffer& data, int dest, int sendtag, int source, int recvtag, Communicator& comm,
                       MPI_Status* status) {
  const Count bytes = pack_size(data);
  const std::unique_ptr<std::byte, void (*)(void*)> copy(
      static_cast<std::byte*>(std::malloc(static_cast<std::size_t>(bytes > 0 ? bytes : 1))), std::free);
  if (!copy)
    return make_error(ErrorClass::no_mem, "no memory for a copy of the %lld bytes to be sent",
                      static_cast<long long>(bytes));
  if (bytes > 0) PackCursor(data).pack(copy.get(), static_cast<std::size_t>(bytes));
  return sendrecv(Buffer(copy.get(), bytes, &datatype_of(MPI_BYTE)), dest, sendtag, data, source, recvtag, comm, status);
}

namespace {

// A buffer for buffered sends, and who keeps it.
struct Space {
  pml::Pml& pml;
  pml::BsendBuffer& buffer;

  Error attach(void* memory, Count size) { return pml.attach_bsend_buffer(buffer, memory, size); }
  Error detach(void*& memory, Count& size) { return pml.detach_bsend_buffer(buffer, memory, size); }
  Error flush() { return pml.flush_bsend_buffer(buffer); }
};

Space of_process() {
  pml::Pml& pml = pml::of(*serving_world);
  return {pml, pml.bsend_buffer()};
}
Space of(Session& session) {
  pml::Pml& pml = pml::of(*serving_world);
  return {pml, pml.bsend_buffer(*session.pml_state)};
}
Space of(Communicator& comm) {
  pml::Pml& pml = pml::of(comm);
  return {pml, pml.bsend_buffer(comm)};
}

}  // namespace

Error buffer_attach(void* buffer, Count size) { return of_process().attach(buffer, size); }
Error buffer_detach(void*& buffer, Count& size) { return of_process().detach(buffer, size); }
Error buffer_flush() { return of_process().flush(); }

Error session_attach_buffer(Session& session, void* buffer, Count size) { return of(session).attach(buffer, size); }
Error session_detach_buffer(Session& session, void*& buffer, Count& size) { return of(session).detach(buffer, size); }
Error session_flush_buffer(Session& session) { return of(session).flush(); }

Error comm_attach_buffer(Communicator& comm, void* buffer, Count size) { return of(comm).attach(buffer, size); }
Error comm_detach_buffer(Communicator& comm, void*& buffer, Count& size) { return of(comm).detach(buffer, size); }
Error comm_flush_buffer(Communicator& comm) { return of(comm).flush(); }

}  // namespace ompi_lite::mpi
