// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking and persistent collectives.
#include "coll/nonblocking.h"

#include <utility>

#include "coll/schedule.h"
#include "coll/state.h"

namespace ompi_lite::coll {

namespace {

// The blocking call, made while a new schedule records.
template <class Call>
Error record(Communicator& comm, const Call& call, Schedule*& recorded, bool persistent = false) {
  auto* schedule = new Schedule(comm);
  schedule->persistent = persistent;
  State& state = state_of(comm);
  state.record_into(schedule, true);
  const Error error = call();
  state.record_into(nullptr);
  if (error) {
    release(static_cast<Request*>(schedule));
    return error;
  }
  recorded = schedule;
  return {};
}

template <class Call>
Error start(Communicator& comm, Request*& request, const Call& call) {
  Schedule* schedule = nullptr;
  if (Error error = record(comm, call, schedule)) return error;
  request = schedule;
  return schedule->start_now();
}

// As start, for calls whose steps depend on nothing but the key and where the buffers lie.
template <class Call>
Error start_keyed(Communicator& comm, Request*& request, const CallKey& key, const CallAddresses& addresses,
                  const Call& call) {
  State& state = state_of(comm);
  Schedule* schedule = state.take_kept(key);
  if (schedule != nullptr) {
    schedule->serve_again(comm, addresses, state.next_tag());
  } else {
    if (Error error = record(comm, call, schedule)) return error;
    schedule->serves(key, addresses);
  }
  request = schedule;
  return schedule->start_now();
}

// Whether a buffer's type may stand in a key: derived ones may be freed, and made again at the same address.
bool lasting(const Buffer& buffer) { return buffer.type->predefined; }

// The collectives in which every rank both sends and receives, or may as well be said to.
template <class Call>
Error start_symmetric(Operation operation, const Buffer& send, const Buffer& receive, const Op* op, Communicator& comm,
                      Request*& request, const Call& call, int root = 0) {
  const bool in_place = is_in_place(send);
  if (comm.is_inter() || !lasting(receive) || (!in_place && op == nullptr && !lasting(send)) ||
      (op != nullptr && op->op_kind == OpKind::user))
    return start(comm, request, call);
  CallKey key{operation, state_of(comm).epoch(), root, 0, receive.count, nullptr, receive.type, op, in_place};
  if (!in_place && op == nullptr) key.send_count = send.count, key.send_type = send.type;
  return start_keyed(comm, request, key, {in_place ? nullptr : send.data, receive.data}, call);
}

// Gather and scatter. A buffer that is not significant, at the rank that does not have it or in place, may be anything.
template <class Call>
Error start_rooted(Operation operation, const Buffer& send, const Buffer& receive, int root, Communicator& comm,
                   Request*& request, const Call& call) {
  const bool at_root = !comm.is_inter() && comm.rank() == root, gathers = operation == Operation::gather;
  const bool in_place = at_root && is_in_place(gathers ? send : receive);
  const bool sends = (gathers || at_root) && !(gathers && in_place);
  const bool receives = (!gathers || at_root) && !(!gathers && in_place);
  if (comm.is_inter() || (sends && !lasting(send)) || (receives && !lasting(receive))) return start(comm, request, call);
  CallKey key{.operation = operation, .epoch = state_of(comm).epoch(), .root = root, .in_place = in_place};
  if (sends) key.send_count = send.count, key.send_type = send.type;
  if (receives) key.receive_count = receive.count, key.receive_type = receive.type;
  return start_keyed(comm, request, key, {sends ? send.data : nullptr, receives ? receive.data : nullptr}, call);
}

template <class Call>
Error describe(Communicator& comm, Request*& request, const Call& call) {
  Schedule* schedule = nullptr;
  if (Error error = record(comm, call, schedule, true)) return error;
  request = schedule;
  return {};
}

}  // namespace

// ---- nonblocking ----
Error ibarrier(Communicator& comm, Request*& request) {
  if (comm.is_inter()) return start(comm, request, [&] { return barrier(comm); });
  return start_keyed(comm, request, {Operation::barrier, state_of(comm).epoch()}, {}, [&] { return barrier(comm); });
}
Error ibcast(const Buffer& data, int root, Communicator& comm, Request*& request) {
  const auto call = [&] { return bcast(data, root, comm); };
  if (comm.is_inter() || !lasting(data)) return start(comm, request, call);
  const CallKey key{Operation::bcast, state_of(comm).epoch(), root, 0, data.count, nullptr, data.type};
  return start_keyed(comm, request, key, {nullptr, data.data}, call);
}
Error igather(const Buffer& send, const Buffer& receive, int root, Communicator& comm, Request*& request) {
  return start_rooted(Operation::gather, send, receive, root, comm, request,
                      [&] { return gather(send, receive, root, comm); });
}
Error igatherv(const Buffer& send, const BufferV& receive, int root, Communicator& comm, Request*& request) {
  return start(comm, request, [&] { return gatherv(send, receive, root, comm); });
}
Error iscatter(const Buffer& send, const Buffer& receive, int root, Communicator& comm, Request*& request) {
  return start_rooted(Operation::scatter, send, receive, root, comm, request,
                      [&] { return scatter(send, receive, root, comm); });
}
Error iscatterv(const BufferV& send, const Buffer& receive, int root, Communicator& comm, Request*& request) {
  return start(comm, request, [&] { return scatterv(send, receive, root, comm); });
}
Error iallgather(const Buffer& send, const Buffer& receive, Communicator& comm, Request*& request) {
  return start_symmetric(Operation::allgather, send, receive, nullptr, comm, request,
                         [&] { return allgather(send, receive, comm); });
}
Error iallgatherv(const Buffer& send, const BufferV& receive, Communicator& comm, Request*& request) {
  return start(comm, request, [&] { return allgatherv(send, receive, comm); });
}
Error ialltoall(const Buffer& send, const Buffer& receive, Communicator& comm, Request*& request) {
  return start_symmetric(Operation::alltoall, send, receive, nullptr, comm, request,
                         [&] { return alltoall(send, receive, comm); });
}
Error ialltoallv(const BufferV& send, const BufferV& receive, Communicator& comm, Request*& request) {
  return start(comm, request, [&] { return alltoallv(send, receive, comm); });
}
Error ialltoallw(const BufferW& send, const BufferW& receive, Communicator& comm, Request*& request) {
  return start(comm, request, [&] { return alltoallw(send, receive, comm); });
}
Error ireduce(const Buffer& send, const Buffer& receive, Op& op, int root, Communicator& comm, Request*& request) {
  return start_symmetric(
      Operation::reduce, send, receive, &op, comm, request, [&] { return reduce(send, receive, op, root, comm); }, root);
}
Error iallreduce(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Request*& request) {
  return start_symmetric(Operation::allreduce, send, receive, &op, comm, request,
                         [&] { return allreduce(send, receive, op, comm); });
}
Error ireduce_scatter(const void* send, void* receive, CountSpan counts, Datatype& type, Op& op, Communicator& comm,
                      Request*& request) {
  return start(comm, request, [&] { return reduce_scatter(send, receive, counts, type, op, comm); });
}
Error ireduce_scatter_block(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Request*& request) {
  return start_symmetric(Operation::reduce_scatter_block, send, receive, &op, comm, request,
                         [&] { return reduce_scatter_block(send, receive, op, comm); });
}
Error iscan(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Request*& request) {
  return start_symmetric(Operation::scan, send, receive, &op, comm, request, [&] { return scan(send, receive, op, comm); });
}
Error iexscan(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Request*& request) {
  return start_symmetric(Operation::exscan, send, receive, &op, comm, request,
                         [&] { return exscan(send, receive, op, comm); });
}
Error ineighbor_allgather(const Buffer& send, const Buffer& receive, Communicator& comm, Request*& request) {
  return start(comm, request, [&] { return neighbor_allgather(send, receive, comm); });
}
Error ineighbor_allgatherv(const Buffer& send, const BufferV& receive, Communicator& comm, Request*& request) {
  return start(comm, request, [&] { return neighbor_allgatherv(send, receive, comm); });
}
Error ineighbor_alltoall(const Buffer& send, const Buffer& receive, Communicator& comm, Request*& request) {
  return start(comm, request, [&] { return neighbor_alltoall(send, receive, comm); });
}
Error ineighbor_alltoallv(const BufferV& send, const BufferV& receive, Communicator& comm, Request*& request) {
  return start(comm, request, [&] { return neighbor_alltoallv(send, receive, comm); });
}
Error ineighbor_alltoallw(const BufferW& send, const BufferW& receive, Communicator& comm, Request*& request) {
  return start(comm, request, [&] { return neighbor_alltoallw(send, receive, comm); });
}

// ---- persistent: the request is inactive until MPI_Start ----
Error barrier_init(Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return barrier(comm); });
}
Error bcast_init(const Buffer& data, int root, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return bcast(data, root, comm); });
}
Error gather_init(const Buffer& send, const Buffer& receive, int root, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return gather(send, receive, root, comm); });
}
Error gatherv_init(const Buffer& send, const BufferV& receive, int root, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return gatherv(send, receive, root, comm); });
}
Error scatter_init(const Buffer& send, const Buffer& receive, int root, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return scatter(send, receive, root, comm); });
}
Error scatterv_init(const BufferV& send, const Buffer& receive, int root, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return scatterv(send, receive, root, comm); });
}
Error allgather_init(const Buffer& send, const Buffer& receive, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return allgather(send, receive, comm); });
}
Error allgatherv_init(const Buffer& send, const BufferV& receive, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return allgatherv(send, receive, comm); });
}
Error alltoall_init(const Buffer& send, const Buffer& receive, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return alltoall(send, receive, comm); });
}
Error alltoallv_init(const BufferV& send, const BufferV& receive, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return alltoallv(send, receive, comm); });
}
Error alltoallw_init(const BufferW& send, const BufferW& receive, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return alltoallw(send, receive, comm); });
}
Error reduce_init(const Buffer& send, const Buffer& receive, Op& op, int root, Communicator& comm, Info*,
                  Request*& request) {
  return describe(comm, request, [&] { return reduce(send, receive, op, root, comm); });
}
Error allreduce_init(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return allreduce(send, receive, op, comm); });
}
Error reduce_scatter_init(const void* send, void* receive, CountSpan counts, Datatype& type, Op& op, Communicator& comm,
                          Info*, Request*& request) {
  return describe(comm, request, [&] { return reduce_scatter(send, receive, counts, type, op, comm); });
}
Error reduce_scatter_block_init(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Info*,
                                Request*& request) {
  return describe(comm, request, [&] { return reduce_scatter_block(send, receive, op, comm); });
}
Error scan_init(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return scan(send, receive, op, comm); });
}
Error exscan_init(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return exscan(send, receive, op, comm); });
}
Error neighbor_allgather_init(const Buffer& send, const Buffer& receive, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return neighbor_allgather(send, receive, comm); });
}
Error neighbor_allgatherv_init(const Buffer& send, const BufferV& receive, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return neighbor_allgatherv(send, receive, comm); });
}
Error neighbor_alltoall_init(const Buffer& send, const Buffer& receive, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return neighbor_alltoall(send, receive, comm); });
}
Error neighbor_alltoallv_init(const BufferV& send, const BufferV& receive, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return neighbor_alltoallv(send, receive, comm); });
}
Error neighbor_alltoallw_init(const BufferW& send, const BufferW& receive, Communicator& comm, Info*, Request*& request) {
  return describe(comm, request, [&] { return neighbor_alltoallw(send, receive, comm); });
}

}  // namespace ompi_lite::coll
