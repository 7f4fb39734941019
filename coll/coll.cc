// SPDX-License-Identifier: BSD-3-Clause
// The operations that move data: what each means, one lookup, and run. The reductions are in reductions.cc, the forms
// between two groups in inter.cc.
#include "coll/coll.h"

#include <algorithm>

#include "coll/bind.h"
#include "coll/direct.h"
#include "coll/dispatch.h"
#include "coll/inter.h"
#include "coll/node/one_shot.h"
#include "coll/node/uneven.h"
#include "coll/shape.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/pack.h"

namespace ompi_lite::coll {

namespace {

node::BlockPerRank blocks_of(const BufferV& all) {
  return node::BlockPerRank(all.data, all.counts, all.displacements, *all.type);
}
node::BlockPerRank blocks_of(const BufferW& all) {
  return node::BlockPerRank(all.data, all.counts, all.displacements, all.types);
}

// All bytes of `from`, side by side in scratch memory.
Part pack(Direct& steps, const Part& from) {
  const Part packed = steps.scratch(steps.bytes(from));
  steps.copy(from, packed);
  return packed;
}

// MPI_IN_PLACE where all blocks are both sent and received: sends copies of what the receive buffer holds.
Blocks bind_copies(Direct& steps, const Blocks& blocks) {
  const int p = steps.size();
  steps.bind(Slot::send, nullptr, datatype_of(MPI_BYTE));  // its parts carry addresses, as scratch does
  Count* numbers = steps.numbers(2 * p);
  if (numbers == nullptr) return Blocks(Slot::send, 0, 0);
  for (int i = 0; i < p; ++i) {
    const Part packed = i == steps.rank() ? Part{} : pack(steps, blocks[i]);
    numbers[i] = packed.count;
    numbers[p + i] = packed.offset;
  }
  return Blocks(Slot::send, CountSpan(numbers), CountSpan(numbers + p), 1);
}

// The uneven ones of a node, with each rank's block for itself.
Error gatherv_on_node(node::Region& region, const Buffer& send, const BufferV& receive, int root, Communicator& comm) {
  const bool at_root = region.rank() == root;
  // The root sends nothing by this way, the others receive nothing.
  const node::BlockPerRank from = at_root ? blocks_of(receive) : node::BlockPerRank(send), &to = from;
  OL_TRY(node::exchange_uneven(comm, region, {Operation::gatherv, from, to, root}));
  return at_root && !is_in_place(send) ? copy_checked(Operation::gatherv, root, send, to[root]) : Error();
}

Error scatterv_on_node(node::Region& region, const BufferV& send, const Buffer& receive, int root, Communicator& comm) {
  const bool at_root = region.rank() == root;
  const node::BlockPerRank from = at_root ? blocks_of(send) : node::BlockPerRank(receive), &to = from;
  OL_TRY(node::exchange_uneven(comm, region, {Operation::scatterv, from, to, root}));
  return at_root && !is_in_place(receive) ? copy_checked(Operation::scatterv, root, from[root], receive) : Error();
}

template <class Described>
Error alltoall_on_node(Operation operation, node::Region& region, const Described& send, const Described& receive,
                       Communicator& comm) {
  const bool in_place = is_in_place(send.data);
  const node::BlockPerRank to = blocks_of(receive), from = in_place ? to : blocks_of(send);
  OL_TRY(node::exchange_uneven(comm, region, {operation, from, to, 0, in_place}));
  const int me = region.rank();
  return in_place ? Error() : copy_checked(operation, me, from[me], to[me]);
}

}  // namespace

Error barrier(Communicator& comm) {
  if (comm.is_inter()) return inter::barrier(comm);
  if (comm.size() == 1) return {};
  State& state = state_of(comm);
  const Choice choice = state.choose(comm, {Operation::barrier, comm.size(), 0}, sign(Operation::barrier));
  if (choice.node()) return state.run_on_node<Operation::barrier>(comm, {Operation::barrier, {}, {}});
  Direct steps(comm, Operation::barrier);
  run<Operation::barrier>(steps, choice, {});
  return steps.finish();
}

Error bcast(const Buffer& data, int root, Communicator& comm) {
  if (comm.is_inter()) return inter::bcast(data, root, comm);
  const Count bytes = pack_size(data);
  if (bytes == 0 || comm.size() == 1) return {};
  State& state = state_of(comm);
  const Timed timed(state);
  const Choice choice =
      state.choose(comm, {Operation::bcast, comm.size(), bytes}, sign(Operation::bcast, root, bytes, data.type));
  if (choice.node()) return state.run_on_node<Operation::bcast>(comm, {Operation::bcast, {}, data, root});
  if (choice.cells()) return state.run_in_cells(comm, {Operation::bcast, {}, data, root});
  Direct steps(comm, Operation::bcast);
  const Part part = bind_part(steps, Slot::receive, data);
  if (!wants_bytes(choice)) {
    run<Operation::bcast>(steps, choice, {part, root});
    return steps.finish();
  }
  // The message is to be cut, and only bytes can be cut alike at all ranks: types may differ.
  Part plain;
  if (std::byte* start = contiguous_start(data)) {
    steps.bind(Slot::send, start, datatype_of(MPI_BYTE));
    plain = Part{Slot::send, 0, 0, bytes};
  } else {
    plain = steps.rank() == root ? pack(steps, part) : steps.scratch(bytes);
  }
  run<Operation::bcast>(steps, choice, {plain, root});
  if (plain.slot == Slot::scratch && steps.rank() != root) steps.copy(plain, part);
  return steps.finish();
}

Error gather(const Buffer& send, const Buffer& receive, int root, Communicator& comm) {
  if (comm.is_inter()) return inter::gather(send, receive, root, comm);
  const bool at_root = comm.rank() == root, in_place = at_root && is_in_place(send);
  const Count block = pack_size(at_root ? receive : send);
  if (block == 0) return {};
  State& state = state_of(comm);
  const Timed timed(state);
  const Choice choice = state.choose(comm, {Operation::gather, comm.size(), block},
                                     sign(Operation::gather, root, block, (at_root ? receive : send).type));
  if (choice.node()) return state.run_on_node<Operation::gather>(comm, {Operation::gather, send, receive, root, in_place});
  if (choice.cells()) return state.run_in_cells(comm, {Operation::gather, send, receive, root, in_place});
  Direct steps(comm, Operation::gather);
  const Part mine = in_place ? Part{} : bind_part(steps, Slot::send, send);
  Blocks blocks;
  if (at_root) {
    blocks = bind_blocks(steps, Slot::receive, receive);
    if (!in_place) steps.copy(mine, blocks[root]);
  }
  run<Operation::gather>(steps, choice, {mine, blocks, root, block});
  return steps.finish();
}

Error gatherv(const Buffer& send, const BufferV& receive, int root, Communicator& comm) {
  if (comm.is_inter()) return inter::gatherv(send, receive, root, comm);
  State& state = state_of(comm);
  const Choice choice = state.choose(comm, {Operation::gatherv, comm.size(), 0}, sign(Operation::gatherv, root, 0, nullptr));
  if (choice.node()) return gatherv_on_node(state.region(), send, receive, root, comm);
  Direct steps(comm, Operation::gatherv);
  const bool at_root = steps.rank() == root, in_place = at_root && is_in_place(send);
  const Part mine = in_place ? Part{} : bind_part(steps, Slot::send, send);
  Blocks blocks;
  if (at_root) {
    blocks = bind_blocks(steps, Slot::receive, receive);
    if (!in_place) steps.copy(mine, blocks[root]);
  }
  run<Operation::gatherv>(steps, choice, {mine, blocks, root, 0});
  return steps.finish();
}

Error scatter(const Buffer& send, const Buffer& receive, int root, Communicator& comm) {
  if (comm.is_inter()) return inter::scatter(send, receive, root, comm);
  const bool at_root = comm.rank() == root, in_place = at_root && is_in_place(receive);
  const Count block = pack_size(at_root ? send : receive);
  if (block == 0) return {};
  State& state = state_of(comm);
  const Timed timed(state);
  const Choice choice = state.choose(comm, {Operation::scatter, comm.size(), block},
                                     sign(Operation::scatter, root, block, (at_root ? send : receive).type));
  if (choice.node()) return state.run_on_node<Operation::scatter>(comm, {Operation::scatter, send, receive, root, in_place});
  if (choice.cells()) return state.run_in_cells(comm, {Operation::scatter, send, receive, root, in_place});
  Direct steps(comm, Operation::scatter);
  const Part mine = in_place ? Part{} : bind_part(steps, Slot::receive, receive);
  Blocks blocks;
  if (at_root) {
    blocks = bind_blocks(steps, Slot::send, send);
    if (!in_place) steps.copy_meanwhile(blocks[root], mine);
  }
  run<Operation::scatter>(steps, choice, {mine, blocks, root, block});
  return steps.finish();
}

Error scatterv(const BufferV& send, const Buffer& receive, int root, Communicator& comm) {
  if (comm.is_inter()) return inter::scatterv(send, receive, root, comm);
  State& state = state_of(comm);
  const Choice choice =
      state.choose(comm, {Operation::scatterv, comm.size(), 0}, sign(Operation::scatterv, root, 0, nullptr));
  if (choice.node()) return scatterv_on_node(state.region(), send, receive, root, comm);
  Direct steps(comm, Operation::scatterv);
  const bool at_root = steps.rank() == root, in_place = at_root && is_in_place(receive);
  const Part mine = in_place ? Part{} : bind_part(steps, Slot::receive, receive);
  Blocks blocks;
  if (at_root) {
    blocks = bind_blocks(steps, Slot::send, send);
    if (!in_place) steps.copy_meanwhile(blocks[root], mine);
  }
  run<Operation::scatterv>(steps, choice, {mine, blocks, root, 0});
  return steps.finish();
}

Error allgather(const Buffer& send, const Buffer& receive, Communicator& comm) {
  if (comm.is_inter()) return inter::allgather(send, receive, comm);
  const Count block = pack_size(receive);
  if (block == 0) return {};
  const bool in_place = is_in_place(send);
  State& state = state_of(comm);
  const Timed timed(state);
  const Choice choice =
      state.choose(comm, {Operation::allgather, comm.size(), block}, sign(Operation::allgather, 0, block, receive.type));
  if (choice.node())
    return state.run_on_node<Operation::allgather>(comm, {Operation::allgather, send, receive, 0, in_place});
  if (choice.cells()) return state.run_in_cells(comm, {Operation::allgather, send, receive, 0, in_place});
  Direct steps(comm, Operation::allgather);
  const Blocks blocks = bind_blocks(steps, Slot::receive, receive);
  const Part own = in_place ? Part() : bind_part(steps, Slot::send, send);
  if (!in_place) steps.copy(own, blocks[steps.rank()]);
  run<Operation::allgather>(steps, choice, {.blocks = blocks, .own = own});
  return steps.finish();
}

Error allgatherv(const Buffer& send, const BufferV& receive, Communicator& comm) {
  if (comm.is_inter()) return inter::allgatherv(send, receive, comm);
  Count count = 0, longest = 0;
  for (int i = 0; i < comm.size(); ++i) {
    count += receive.counts[i];
    longest = std::max(longest, receive.counts[i]);
  }
  const Count bytes = count * receive.type->size();
  if (bytes == 0) return {};
  State& state = state_of(comm);
  const Timed timed(state);
  Question question{Operation::allgatherv, comm.size(), bytes};
  question.longest = longest * receive.type->size();
  const Choice choice = state.choose(comm, question, sign(Operation::allgatherv, 0, bytes, receive.type));
  const bool in_place = is_in_place(send);
  if (choice.of_node()) {
    node::Call call{Operation::allgatherv, send, Buffer(receive.data, 0, receive.type), 0, in_place};
    call.counts = receive.counts;
    call.displacements = receive.displacements;
    return choice.node() ? state.run_on_node<Operation::allgatherv>(comm, call) : state.run_in_cells(comm, call);
  }
  Direct steps(comm, Operation::allgatherv);
  const Blocks blocks = bind_blocks(steps, Slot::receive, receive);
  const Part own = in_place ? Part() : bind_part(steps, Slot::send, send);
  if (!in_place) steps.copy(own, blocks[steps.rank()]);
  run<Operation::allgatherv>(steps, choice, {.blocks = blocks, .own = own});
  return steps.finish();
}

namespace {

// The three forms of all-to-all differ in how the calls describe the blocks; `block` is the bytes of one where all are
// alike, else 0.
template <Operation operation, class Described>
Error any_alltoall(const Described& send, const Described& receive, bool in_place, Communicator& comm, const Choice& choice,
                   Count block) {
  Direct steps(comm, operation);
  const Blocks incoming = bind_blocks(steps, Slot::receive, receive);
  if (in_place) {
    const Blocks copies = bind_copies(steps, incoming);
    run<operation>(steps, choice, {copies, incoming, block});
    return steps.finish();
  }
  const Blocks outgoing = bind_blocks(steps, Slot::send, send);
  steps.copy(outgoing[steps.rank()], incoming[steps.rank()]);
  run<operation>(steps, choice, {outgoing, incoming, block});
  return steps.finish();
}

}  // namespace

Error alltoall(const Buffer& send, const Buffer& receive, Communicator& comm) {
  if (comm.is_inter()) return inter::alltoall(send, receive, comm);
  const Count block = pack_size(receive);
  if (block == 0) return {};
  State& state = state_of(comm);
  const Timed timed(state);
  const Choice choice =
      state.choose(comm, {Operation::alltoall, comm.size(), block}, sign(Operation::alltoall, 0, block, receive.type));
  if (choice.node())
    return state.run_on_node<Operation::alltoall>(comm, {Operation::alltoall, send, receive, 0, is_in_place(send)});
  if (choice.cells()) return state.run_in_cells(comm, {Operation::alltoall, send, receive, 0, is_in_place(send)});
  return any_alltoall<Operation::alltoall>(send, receive, is_in_place(send), comm, choice, block);
}

Error alltoallv(const BufferV& send, const BufferV& receive, Communicator& comm) {
  if (comm.is_inter()) return inter::alltoallv(send, receive, comm);
  State& state = state_of(comm);
  const Choice choice = state.choose(comm, {Operation::alltoallv, comm.size(), 0}, sign(Operation::alltoallv));
  if (choice.node()) return alltoall_on_node(Operation::alltoallv, state.region(), send, receive, comm);
  return any_alltoall<Operation::alltoallv>(send, receive, is_in_place(send.data), comm, choice, 0);
}

Error alltoallw(const BufferW& send, const BufferW& receive, Communicator& comm) {
  if (comm.is_inter()) return inter::alltoallw(send, receive, comm);
  State& state = state_of(comm);
  const Choice choice = state.choose(comm, {Operation::alltoallw, comm.size(), 0}, sign(Operation::alltoallw));
  if (choice.node()) return alltoall_on_node(Operation::alltoallw, state.region(), send, receive, comm);
  return any_alltoall<Operation::alltoallw>(send, receive, is_in_place(send.data), comm, choice, 0);
}

}  // namespace ompi_lite::coll
