// SPDX-License-Identifier: BSD-3-Clause
// Neighborhood collectives: which communicators they are right for, and where the blocks lie. There is one algorithm.
#include "coll/neighbor.h"

#include "coll/bind.h"
#include "coll/direct.h"
#include "coll/dispatch.h"
#include "coll/shape.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/grid.h"

namespace ompi_lite::coll {
namespace {

Error check_topology(Communicator& comm) {
  if (comm.topology == nullptr) return Error(ErrorClass::topology, "comm has no topology, so its ranks have no neighbors");
  if (comm.topology->matched) return {};
  return Error(ErrorClass::topology,
               "the graph of comm does not fit together: some rank names a neighbor that does not name it back");
}

// The same block for all neighbors.
Blocks bind_repeated(Direct& steps, const Buffer& one) {
  steps.bind(Slot::send, one.data, *one.type);
  return Blocks(Slot::send, one.count, 0);
}

// There is one algorithm, the same for the five forms.
template <class Received>
Error exchange(Direct& steps, const Blocks& out, const Received& receive) {
  run<Operation::neighbor_alltoall>(
      steps, {0, 0}, {steps.comm().topology->neighborhood.steps, out, bind_blocks(steps, Slot::receive, receive)});
  return steps.finish();
}

}  // namespace

Error neighbor_allgather(const Buffer& send, const Buffer& receive, Communicator& comm) {
  OL_TRY(check_topology(comm));
  Direct steps(comm, Operation::neighbor_allgather);
  return exchange(steps, bind_repeated(steps, send), receive);
}

Error neighbor_allgatherv(const Buffer& send, const BufferV& receive, Communicator& comm) {
  OL_TRY(check_topology(comm));
  Direct steps(comm, Operation::neighbor_allgatherv);
  return exchange(steps, bind_repeated(steps, send), receive);
}

Error neighbor_alltoall(const Buffer& send, const Buffer& receive, Communicator& comm) {
  OL_TRY(check_topology(comm));
  Direct steps(comm, Operation::neighbor_alltoall);
  return exchange(steps, bind_blocks(steps, Slot::send, send), receive);
}

Error neighbor_alltoallv(const BufferV& send, const BufferV& receive, Communicator& comm) {
  OL_TRY(check_topology(comm));
  Direct steps(comm, Operation::neighbor_alltoallv);
  return exchange(steps, bind_blocks(steps, Slot::send, send), receive);
}

Error neighbor_alltoallw(const BufferW& send, const BufferW& receive, Communicator& comm) {
  OL_TRY(check_topology(comm));
  Direct steps(comm, Operation::neighbor_alltoallw);
  return exchange(steps, bind_blocks(steps, Slot::send, send), receive);
}

}  // namespace ompi_lite::coll
