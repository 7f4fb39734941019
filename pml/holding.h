// SPDX-License-Identifier: BSD-3-Clause
// What requests of both sides share: the objects that they keep alive, and their tables of operations.
#pragma once

#include "ompi_lite/core/datatype.h"
#include "pml/requests.h"

namespace ompi_lite::pml {

struct RequestTables {
  static const RequestOps send, receive;
};

// A pending operation keeps its communicator and type alive (MPI 5.0, sections 5.1.9 and 7.4.3). Predefined ones live
// anyway, and spare us two atomic operations.
template <class R>
void hold_objects(R& request, Communicator& comm, const Buffer& data) {
  request.holds_objects = true;
  request.comm = &comm;
  request.data.type = data.type;
  if (!comm.predefined) retain(&comm);
  if (data.type != nullptr && !data.type->predefined) retain(data.type);
}

template <class R>
void release_objects(R& request) {
  if (!request.holds_objects) return;
  if (request.data.type != nullptr && !request.data.type->predefined) release(request.data.type);
  if (!request.comm->predefined) release(request.comm);
}

}  // namespace ompi_lite::pml
