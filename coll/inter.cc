// SPDX-License-Identifier: BSD-3-Clause
// The collectives between the two groups of an intercommunicator: linear. Every message crosses, since ranks of an
// intercommunicator name the other group; what a group has to tell itself goes by way of the other's rank 0.
#include "coll/inter.h"

#include "coll/bind.h"
#include "coll/direct.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::coll::inter {

namespace {

// Both directions between each rank here and each rank there, kWindow partners at a time, in ascending order: of the pairs
// that are left the one with the smallest sum of ranks can always go on, so all do.
template <class Outgoing, class Incoming>
void cross(Direct& steps, const Outgoing& outgoing, const Incoming& incoming) {
  for (int i = 0; i < steps.comm().remote_size(); ++i) {
    steps.sendrecv(outgoing(i), i, incoming(i), i);
    if (i % kWindow == kWindow - 1) steps.end_round();
  }
  steps.end_round();
}

template <class Join>
void for_each_remote(Direct& steps, const Join& join) {
  for (int i = 0; i < steps.comm().remote_size(); ++i) {
    join(i);
    if (i % kWindow == kWindow - 1) steps.end_round();
  }
  steps.end_round();
}

// The product, from element `first` on, of the vectors of the other group, which lie in `all` in the order of ranks.
void reduce_all(Direct& steps, const Part& all, Count count, Count first, const Part& output) {
  const auto from = [&](int i) { return steps.slice(all, count * i + first, output.count); };
  const Part product = from(steps.comm().remote_size() - 1);
  for (int i = steps.comm().remote_size() - 2; i >= 0; --i) steps.reduce(from(i), product);
  steps.copy(product, output);
}

// Rank root's part of a rooted call: MPI_ROOT at the root, MPI_PROC_NULL beside it, a rank in the other group.
bool is_root(int root) { return root == MPI_ROOT; }
bool beside_root(int root) { return root == MPI_PROC_NULL; }

}  // namespace

// Everyone reports to the other group's rank 0, which so knows that the other group has come. It tells the other rank 0, and
// that one tells the ranks that wait for this news: those of the first.
Error barrier(Communicator& comm) {
  Direct steps(comm, Operation::barrier);
  const Part nothing{};
  steps.send(nothing, 0);
  steps.end_round();
  if (comm.rank() == 0) {
    for_each_remote(steps, [&](int i) { steps.recv(nothing, i); });
    steps.sendrecv(nothing, 0, nothing, 0);
    steps.end_round();
    for_each_remote(steps, [&](int i) { steps.send(nothing, i); });
  }
  steps.recv(nothing, 0);
  steps.end_round();
  return steps.finish();
}

Error bcast(const Buffer& data, int root, Communicator& comm) {
  Direct steps(comm, Operation::bcast);
  if (beside_root(root)) return {};
  const Part part = bind_part(steps, Slot::send, data);
  if (is_root(root)) {
    for_each_remote(steps, [&](int i) { steps.send(part, i); });
  } else {
    steps.recv(part, root);
    steps.end_round();
  }
  return steps.finish();
}

namespace {

template <class Receive>
Error any_gather(Direct& steps, const Buffer& send, const Receive& receive, int root) {
  if (beside_root(root)) return {};
  if (is_root(root)) {
    const Blocks blocks = bind_blocks(steps, Slot::receive, receive);
    for_each_remote(steps, [&](int i) { steps.recv(blocks[i], i); });
  } else {
    steps.send(bind_part(steps, Slot::send, send), root);
    steps.end_round();
  }
  return steps.finish();
}

template <class Send>
Error any_scatter(Direct& steps, const Send& send, const Buffer& receive, int root) {
  if (beside_root(root)) return {};
  if (is_root(root)) {
    const Blocks blocks = bind_blocks(steps, Slot::send, send);
    for_each_remote(steps, [&](int i) { steps.send(blocks[i], i); });
  } else {
    steps.recv(bind_part(steps, Slot::receive, receive), root);
    steps.end_round();
  }
  return steps.finish();
}

template <class Receive>
Error any_allgather(Direct& steps, const Buffer& send, const Receive& receive) {
  const Part mine = bind_part(steps, Slot::send, send);
  const Blocks blocks = bind_blocks(steps, Slot::receive, receive);
  cross(
      steps, [&](int) { return mine; }, [&](int i) { return blocks[i]; });
  return steps.finish();
}

template <class Described>
Error any_alltoall(Direct& steps, const Described& send, const Described& receive) {
  const Blocks outgoing = bind_blocks(steps, Slot::send, send), incoming = bind_blocks(steps, Slot::receive, receive);
  cross(
      steps, [&](int i) { return outgoing[i]; }, [&](int i) { return incoming[i]; });
  return steps.finish();
}

}  // namespace

Error gather(const Buffer& send, const Buffer& receive, int root, Communicator& comm) {
  Direct steps(comm, Operation::gather);
  return any_gather(steps, send, receive, root);
}

Error gatherv(const Buffer& send, const BufferV& receive, int root, Communicator& comm) {
  Direct steps(comm, Operation::gatherv);
  return any_gather(steps, send, receive, root);
}

Error scatter(const Buffer& send, const Buffer& receive, int root, Communicator& comm) {
  Direct steps(comm, Operation::scatter);
  return any_scatter(steps, send, receive, root);
}

Error scatterv(const BufferV& send, const Buffer& receive, int root, Communicator& comm) {
  Direct steps(comm, Operation::scatterv);
  return any_scatter(steps, send, receive, root);
}

Error allgather(const Buffer& send, const Buffer& receive, Communicator& comm) {
  Direct steps(comm, Operation::allgather);
  return any_allgather(steps, send, receive);
}

Error allgatherv(const Buffer& send, const BufferV& receive, Communicator& comm) {
  Direct steps(comm, Operation::allgatherv);
  return any_allgather(steps, send, receive);
}

Error alltoall(const Buffer& send, const Buffer& receive, Communicator& comm) {
  Direct steps(comm, Operation::alltoall);
  return any_alltoall(steps, send, receive);
}

Error alltoallv(const BufferV& send, const BufferV& receive, Communicator& comm) {
  Direct steps(comm, Operation::alltoallv);
  return any_alltoall(steps, send, receive);
}

Error alltoallw(const BufferW& send, const BufferW& receive, Communicator& comm) {
  Direct steps(comm, Operation::alltoallw);
  return any_alltoall(steps, send, receive);
}

Error reduce(const Buffer& send, const Buffer& receive, Op& op, int root, Communicator& comm) {
  // The root's side gives what it receives, the other what it sends; the type of the rest means nothing.
  const Buffer& significant = is_root(root) ? receive : send;
  if (!beside_root(root)) OL_TRY(check_op(op, *significant.type));
  Direct steps(comm, Operation::reduce);
  if (beside_root(root)) return {};
  steps.reduce_with(op, *significant.type);
  if (is_root(root)) {
    const Count count = receive.count;
    const Part all = steps.scratch(count * comm.remote_size());
    for_each_remote(steps, [&](int i) { steps.recv(steps.slice(all, count * i, count), i); });
    reduce_all(steps, all, count, 0, bind_part(steps, Slot::receive, receive));
  } else {
    steps.send(bind_part(steps, Slot::send, send), root);
    steps.end_round();
  }
  return steps.finish();
}

namespace {

// Every rank gets the whole vectors of the other group, and keeps the product from element `first` on.
Error any_allreduce(Direct& steps, const Part& input, const Part& output, Count first) {
  const Count count = input.count;
  const Part all = steps.scratch(count * steps.comm().remote_size());
  cross(
      steps, [&](int) { return input; }, [&](int i) { return steps.slice(all, count * i, count); });
  reduce_all(steps, all, count, first, output);
  return steps.finish();
}

Error any_reduce_scatter(Direct& steps, const void* send, void* receive, Count total, Count first, Count size,
                         Datatype& type, Op& op) {
  steps.reduce_with(op, type);
  const Part input = bind_part(steps, Slot::send, Buffer(send, total, &type));
  return any_allreduce(steps, input, bind_part(steps, Slot::receive, Buffer(receive, size, &type)), first);
}

}  // namespace

Error allreduce(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm) {
  OL_TRY(check_op(op, *receive.type));
  Direct steps(comm, Operation::allreduce);
  steps.reduce_with(op, *receive.type);
  const Part input = bind_part(steps, Slot::send, Buffer(send.data, receive.count, receive.type));
  return any_allreduce(steps, input, bind_part(steps, Slot::receive, receive), 0);
}

Error reduce_scatter(const void* send, void* receive, CountSpan counts, Datatype& type, Op& op, Communicator& comm) {
  OL_TRY(check_op(op, type));
  Direct steps(comm, Operation::reduce_scatter);
  Count total = 0, first = 0;
  for (int i = 0; i < comm.size(); ++i) {
    if (i == comm.rank()) first = total;
    total += counts[i];
  }
  return any_reduce_scatter(steps, send, receive, total, first, counts[comm.rank()], type, op);
}

Error reduce_scatter_block(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm) {
  OL_TRY(check_op(op, *receive.type));
  Direct steps(comm, Operation::reduce_scatter_block);
  const Count size = receive.count;
  return any_reduce_scatter(steps, send.data, receive.data, size * comm.size(), size * comm.rank(), size, *receive.type, op);
}

}  // namespace ompi_lite::coll::inter
