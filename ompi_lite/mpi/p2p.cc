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

Error buffer_attach(void* buffer, Count size) { return pml::of(*serving_world).attach_bsend_buffer(nullptr, buffer, size); }
Error buffer_detach(void*& buffer, Count& size) { return pml::of(*serving_world).detach_bsend_buffer(nullptr, buffer, size); }
Error buffer_flush() { return pml::of(*serving_world).flush_bsend_buffer(nullptr); }

Error comm_attach_buffer(Communicator& comm, void* buffer, Count size) {
  return pml::of(comm).attach_bsend_buffer(&comm, buffer, size);
}
Error comm_detach_buffer(Communicator& comm, void*& buffer, Count& size) {
  return pml::of(comm).detach_bsend_buffer(&comm, buffer, size);
}
Error comm_flush_buffer(Communicator& comm) { return pml::of(comm).flush_bsend_buffer(&comm); }

}  // namespace ompi_lite::mpi
