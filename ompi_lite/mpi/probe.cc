// SPDX-License-Identifier: BSD-3-Clause
// The probe family.
#include "ompi_lite/mpi/probe.h"

#include "pml/requests.h"

namespace ompi_lite::mpi {

Error probe(int source, int tag, Communicator& comm, MPI_Status* status) {
  return pml::of(comm).probe({comm, source, tag}, status);
}

Error iprobe(int source, int tag, Communicator& comm, bool& flag, MPI_Status* status) {
  return pml::of(comm).iprobe({comm, source, tag}, flag, status);
}

Error mprobe(int source, int tag, Communicator& comm, Message*& message, MPI_Status* status) {
  return pml::of(comm).mprobe({comm, source, tag}, message, status);
}

Error improbe(int source, int tag, Communicator& comm, bool& flag, Message*& message, MPI_Status* status) {
  return pml::of(comm).improbe({comm, source, tag}, flag, message, status);
}

// A message names its process itself, but for that of no process.
Error mrecv(const Buffer& data, Message*& message, MPI_Status* status) {
  return pml::of(*serving_world).mrecv(data, message, status);
}

Error imrecv(const Buffer& data, Message*& message, Request*& request) {
  return pml::of(*serving_world).imrecv(data, message, request);
}

Communicator* message_comm(const Object& message) { return static_cast<const Message&>(message).comm; }

}  // namespace ompi_lite::mpi
