// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, sections 3.6 and 3.10: nonblocking calls that are done when several things are.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/request.h"
#include "ompi_lite/core/session.h"

namespace ompi_lite::mpi {

Error isendrecv(Buffer send, int dest, int sendtag, Buffer receive, int source, int recvtag, Communicator& comm,
                Request*& request);
Error isendrecv_replace(Buffer data, int dest, int sendtag, int source, int recvtag, Communicator& comm, Request*& request);

Error buffer_iflush(Request*& request);
Error session_iflush_buffer(Session& session, Request*& request);
Error comm_iflush_buffer(Communicator& comm, Request*& request);

}  // namespace ompi_lite::mpi
