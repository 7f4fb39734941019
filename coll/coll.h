// SPDX-License-Identifier: BSD-3-Clause
// What each collective operation means: in place, one rank, no data, inter- or intracommunicator; then one lookup, and run.
#pragma once

#include <span>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/op.h"

namespace ompi_lite::coll {

// A buffer whose blocks lie at displacements of their own (in elements of type; in bytes for the w-form).
struct BufferV {
  std::byte* data = nullptr;
  CountSpan counts, displacements;
  Datatype* type = nullptr;
};
struct BufferW {
  std::byte* data = nullptr;
  CountSpan counts, displacements;
  DatatypeSpan types;
};

// Arguments come checked by the door. A buffer that the standard calls not significant at this rank may hold anything.
Error barrier(Communicator& comm);
Error bcast(const Buffer& data, int root, Communicator& comm);
Error gather(const Buffer& send, const Buffer& receive, int root, Communicator& comm);
Error gatherv(const Buffer& send, const BufferV& receive, int root, Communicator& comm);
Error scatter(const Buffer& send, const Buffer& receive, int root, Communicator& comm);
Error scatterv(const BufferV& send, const Buffer& receive, int root, Communicator& comm);
Error allgather(const Buffer& send, const Buffer& receive, Communicator& comm);
Error allgatherv(const Buffer& send, const BufferV& receive, Communicator& comm);
Error alltoall(const Buffer& send, const Buffer& receive, Communicator& comm);
Error alltoallv(const BufferV& send, const BufferV& receive, Communicator& comm);
Error alltoallw(const BufferW& send, const BufferW& receive, Communicator& comm);
// The reductions take one count and type for both buffers, as MPI does; either data may be MPI_IN_PLACE where MPI allows it.
Error reduce(const Buffer& send, const Buffer& receive, Op& op, int root, Communicator& comm);
Error allreduce(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm);
Error reduce_scatter(const void* send, void* receive, CountSpan counts, Datatype& type, Op& op, Communicator& comm);
Error reduce_scatter_block(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm);
Error scan(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm);
Error exscan(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm);
Error reduce_local(const Buffer& in, const Buffer& inout, Op& op);

}  // namespace ompi_lite::coll
