// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, sections 3.2 to 3.10: sending and receiving.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/request.h"
#include "pml/pml.h"

namespace ompi_lite::mpi {

Error send(pml::SendMode mode, Buffer data, int dest, int tag, Communicator& comm);
Error isend(pml::SendMode mode, Buffer data, int dest, int tag, Communicator& comm, Request*& request);
Error send_init(pml::SendMode mode, Buffer data, int dest, int tag, Communicator& comm, Request*& request);
Error recv(Buffer data, int source, int tag, Communicator& comm, MPI_Status* status);
Error irecv(Buffer data, int source, int tag, Communicator& comm, Request*& request);
Error recv_init(Buffer data, int source, int tag, Communicator& comm, Request*& request);

Error sendrecv(Buffer send, int dest, int sendtag, Buffer receive, int source, int recvtag, Communicator& comm, MPI_Status* status);
Error sendrecv_replace(Buffer data, int dest, int sendtag, int source, int recvtag, Communicator& comm, MPI_Status* status);

// Section 3.6: the buffers of buffered sends.
Error buffer_attach(void* buffer, Count size);
Error buffer_detach(void*& buffer, Count& size);
Error buffer_flush();
Error comm_attach_buffer(Communicator& comm, void* buffer, Count size);
Error comm_detach_buffer(Communicator& comm, void*& buffer, Count& size);
Error comm_flush_buffer(Communicator& comm);

}  // namespace ompi_lite::mpi
