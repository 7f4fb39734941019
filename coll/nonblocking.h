// SPDX-License-Identifier: BSD-3-Clause
// Collectives that start now and complete later, and collectives that are described once and started often (MPI 5.0, sections
// 6.12 and 6.13). Each records the steps of the blocking form (schedule.h), so the two can never differ. Arguments as in coll.h;
// arrays of counts and displacements are read at once. Hints in `info` are accepted and not used.
#pragma once

#include "coll/coll.h"
#include "coll/neighbor.h"
#include "ompi_lite/core/info.h"
#include "ompi_lite/core/request.h"

namespace ompi_lite::coll {

// ---- nonblocking ----
Error ibarrier(Communicator& comm, Request*& request);
Error ibcast(const Buffer& data, int root, Communicator& comm, Request*& request);
Error igather(const Buffer& send, const Buffer& receive, int root, Communicator& comm, Request*& request);
Error igatherv(const Buffer& send, const BufferV& receive, int root, Communicator& comm, Request*& request);
Error iscatter(const Buffer& send, const Buffer& receive, int root, Communicator& comm, Request*& request);
Error iscatterv(const BufferV& send, const Buffer& receive, int root, Communicator& comm, Request*& request);
Error iallgather(const Buffer& send, const Buffer& receive, Communicator& comm, Request*& request);
Error iallgatherv(const Buffer& send, const BufferV& receive, Communicator& comm, Request*& request);
Error ialltoall(const Buffer& send, const Buffer& receive, Communicator& comm, Request*& request);
Error ialltoallv(const BufferV& send, const BufferV& receive, Communicator& comm, Request*& request);
Error ialltoallw(const BufferW& send, const BufferW& receive, Communicator& comm, Request*& request);
Error ireduce(const Buffer& send, const Buffer& receive, Op& op, int root, Communicator& comm, Request*& request);
Error iallreduce(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Request*& request);
Error ireduce_scatter(const void* send, void* receive, CountSpan counts, Datatype& type, Op& op, Communicator& comm,
                      Request*& request);
Error ireduce_scatter_block(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Request*& request);
Error iscan(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Request*& request);
Error iexscan(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Request*& request);
Error ineighbor_allgather(const Buffer& send, const Buffer& receive, Communicator& comm, Request*& request);
Error ineighbor_allgatherv(const Buffer& send, const BufferV& receive, Communicator& comm, Request*& request);
Error ineighbor_alltoall(const Buffer& send, const Buffer& receive, Communicator& comm, Request*& request);
Error ineighbor_alltoallv(const BufferV& send, const BufferV& receive, Communicator& comm, Request*& request);
Error ineighbor_alltoallw(const BufferW& send, const BufferW& receive, Communicator& comm, Request*& request);

// ---- persistent: the request is inactive until MPI_Start ----
Error barrier_init(Communicator& comm, Info* info, Request*& request);
Error bcast_init(const Buffer& data, int root, Communicator& comm, Info* info, Request*& request);
Error gather_init(const Buffer& send, const Buffer& receive, int root, Communicator& comm, Info* info, Request*& request);
Error gatherv_init(const Buffer& send, const BufferV& receive, int root, Communicator& comm, Info* info, Request*& request);
Error scatter_init(const Buffer& send, const Buffer& receive, int root, Communicator& comm, Info* info, Request*& request);
Error scatterv_init(const BufferV& send, const Buffer& receive, int root, Communicator& comm, Info* info, Request*& request);
Error allgather_init(const Buffer& send, const Buffer& receive, Communicator& comm, Info* info, Request*& request);
Error allgatherv_init(const Buffer& send, const BufferV& receive, Communicator& comm, Info* info, Request*& request);
Error alltoall_init(const Buffer& send, const Buffer& receive, Communicator& comm, Info* info, Request*& request);
Error alltoallv_init(const BufferV& send, const BufferV& receive, Communicator& comm, Info* info, Request*& request);
Error alltoallw_init(const BufferW& send, const BufferW& receive, Communicator& comm, Info* info, Request*& request);
Error reduce_init(const Buffer& send, const Buffer& receive, Op& op, int root, Communicator& comm, Info* info,
                  Request*& request);
Error allreduce_init(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Info* info, Request*& request);
Error reduce_scatter_init(const void* send, void* receive, CountSpan counts, Datatype& type, Op& op, Communicator& comm,
                          Info* info, Request*& request);
Error reduce_scatter_block_init(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Info* info,
                                Request*& request);
Error scan_init(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Info* info, Request*& request);
Error exscan_init(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Info* info, Request*& request);
Error neighbor_allgather_init(const Buffer& send, const Buffer& receive, Communicator& comm, Info* info, Request*& request);
Error neighbor_allgatherv_init(const Buffer& send, const BufferV& receive, Communicator& comm, Info* info,
                               Request*& request);
Error neighbor_alltoall_init(const Buffer& send, const Buffer& receive, Communicator& comm, Info* info, Request*& request);
Error neighbor_alltoallv_init(const BufferV& send, const BufferV& receive, Communicator& comm, Info* info,
                              Request*& request);
Error neighbor_alltoallw_init(const BufferW& send, const BufferW& receive, Communicator& comm, Info* info,
                              Request*& request);

}  // namespace ompi_lite::coll
