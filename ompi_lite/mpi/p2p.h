// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, sections 3.2 to 3.10: sending and receiving.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/request.h"
#include "ompi_lite/core/session.h"
#include "pml/pml.h"

namespace ompi_lite::mpi {

Error send(pml::SendMode mode, const Buffer& data, int dest, int tag, Communicator& comm);
Error isend(pml::SendMode mode, const Buffer& data, int dest, int tag, Communicator& comm, Request*& request);
Error send_init(pml::SendMode mode, const Buffer& data, int dest, int tag, Communicator& comm, Request*& request);
Error recv(const Buffer& data, int source, int tag, Communicator& comm, MPI_Status* status);
Error irecv(const Buffer& data, int source, int tag, Communicator& comm, Request*& request);
Error recv_init(const Buffer& data, int source, int tag, Communicator& comm, Request*& request);

Error sendrecv(const Buffer& send, int dest, int sendtag, const Buffer& receive, int source, int recvtag, Communicator& comm,
               MPI_Status* status);
Error sendrecv_replace(const Buffer& data, int dest, int sendtag, int source, int recvtag, Communicator& comm,
                       MPI_Status* status);

// The same three for buffers that may lie in device memory.
Error send_by_request(pml::SendMode mode, const Buffer& data, int dest, int tag, Communicator& comm);
Error recv_by_request(const Buffer& data, int source, int tag, Communicator& comm, MPI_Status* status);
Error sendrecv_by_requests(const Buffer& send, int dest, int sendtag, const Buffer& receive, int source, int recvtag,
                           Communicator& comm, MPI_Status* status);

// Section 3.6: the buffers of buffered sends. A message takes that of its communicator, else that of the session it stems
// from, else that of the process.
Error buffer_attach(void* buffer, Count size);
Error buffer_detach(void*& buffer, Count& size);
Error buffer_flush();
Error session_attach_buffer(Session& session, void* buffer, Count size);
Error session_detach_buffer(Session& session, void*& buffer, Count& size);
Error session_flush_buffer(Session& session);
Error comm_attach_buffer(Communicator& comm, void* buffer, Count size);
Error comm_detach_buffer(Communicator& comm, void*& buffer, Count& size);
Error comm_flush_buffer(Communicator& comm);

}  // namespace ompi_lite::mpi
