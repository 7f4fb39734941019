// SPDX-License-Identifier: BSD-3-Clause
// The collectives between the two groups of an intercommunicator.
#pragma once

#include "coll/coll.h"

namespace ompi_lite::coll::inter {

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
Error reduce(const Buffer& send, const Buffer& receive, Op& op, int root, Communicator& comm);
Error allreduce(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm);
Error reduce_scatter(const void* send, void* receive, CountSpan counts, Datatype& type, Op& op, Communicator& comm);
Error reduce_scatter_block(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm);

}  // namespace ompi_lite::coll::inter
