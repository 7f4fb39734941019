// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, section 8.7: collectives in which a rank talks to its neighbors in the topology of the communicator alone.
#pragma once

#include "coll/coll.h"

namespace ompi_lite::coll {

// A buffer of blocks has one for each neighbor, in the order of the neighborhood; that of a neighbor MPI_PROC_NULL stays
// untouched.
Error neighbor_allgather(const Buffer& send, const Buffer& receive, Communicator& comm);
Error neighbor_allgatherv(const Buffer& send, const BufferV& receive, Communicator& comm);
Error neighbor_alltoall(const Buffer& send, const Buffer& receive, Communicator& comm);
Error neighbor_alltoallv(const BufferV& send, const BufferV& receive, Communicator& comm);
Error neighbor_alltoallw(const BufferW& send, const BufferW& receive, Communicator& comm);

}  // namespace ompi_lite::coll
