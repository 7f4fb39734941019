// SPDX-License-Identifier: BSD-3-Clause
// The point-to-point layer: matching and protocols over whatever transports there are.
#pragma once

#include <cstdint>

#include "btl/btl.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/request.h"

namespace ompi_lite::pml {

enum class SendMode : std::uint8_t { standard, buffered, synchronous, ready };

// A message taken out of the queues by mprobe; MPI_Message handles are its address.
struct Message;

// Whom, on what: dest or source is a rank of the communicator's remote group (MPI_PROC_NULL and, for receives, MPI_ANY_SOURCE
// and MPI_ANY_TAG allowed).
struct Envelope {
  Communicator& comm;
  int peer;
  int tag;
  Plane plane = Plane::point_to_point;
};

// One per process. All calls need the process lock. Blocking calls turn Progress until done and may sleep (the lock is released
// while they do).
class Pml {
 public:
  Error send(SendMode mode, const Buffer& data, const Envelope& to);
  Error recv(const Buffer& data, const Envelope& from, MPI_Status* status);
  Error isend(SendMode mode, const Buffer& data, const Envelope& to, Request*& request);
  Error irecv(const Buffer& data, const Envelope& from, Request*& request);
  Error send_init(SendMode mode, const Buffer& data, const Envelope& to, Request*& request);
  Error recv_init(const Buffer& data, const Envelope& from, Request*& request);

  Error probe(const Envelope& from, MPI_Status* status);
  Error iprobe(const Envelope& from, bool& flag, MPI_Status* status);
  Error mprobe(const Envelope& from, Message*& message, MPI_Status* status);
  Error improbe(const Envelope& from, bool& flag, Message*& message, MPI_Status* status);
  Error mrecv(const Buffer& data, Message*& message, MPI_Status* status);
  Error imrecv(const Buffer& data, Message*& message, Request*& request);

  Error wait(Request& request, MPI_Status* status);
};

// The Pml that serves a communicator.
Pml& of(Communicator& comm);

}  // namespace ompi_lite::pml
