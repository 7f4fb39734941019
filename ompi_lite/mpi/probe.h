// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, section 3.8: looking at messages before receiving them.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/request.h"
#include "pml/pml.h"

namespace ompi_lite::mpi {

using pml::Message;

Error probe(int source, int tag, Communicator& comm, MPI_Status* status);
Error iprobe(int source, int tag, Communicator& comm, bool& flag, MPI_Status* status);
Error mprobe(int source, int tag, Communicator& comm, Message*& message, MPI_Status* status);
Error improbe(int source, int tag, Communicator& comm, bool& flag, Message*& message, MPI_Status* status);
Error mrecv(const Buffer& data, Message*& message, MPI_Status* status);
Error imrecv(const Buffer& data, Message*& message, Request*& request);

// On whose error handler the errors of receiving it go; null for the message of no process.
Communicator* message_comm(const Object& message);

}  // namespace ompi_lite::mpi
