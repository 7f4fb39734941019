// SPDX-License-Identifier: BSD-3-Clause
// The operations that reduce: what each means, one lookup, and run.
#include "coll/coll.h"
#include "coll/direct.h"
#include "coll/dispatch.h"
#include "coll/inter.h"
#include "coll/node/one_shot.h"
#include "coll/reproducible.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::coll {

namespace {

constexpr char kInPlaceReceive[] =
    "MPI_IN_PLACE is not a receive buffer here: give it as sendbuf (at the root only for MPI_Reduce) and the data in "
    "recvbuf";

// Input and output of a reduction of `count` elements; the input is the output where the call says MPI_IN_PLACE.
struct Operands {
  Part input, output;
};
Operands bind_operands(Direct& steps, const void* send, void* receive, Count count, Datatype& type, Op& op) {
  steps.reduce_with(op, type);
  steps.bind(Slot::receive, static_cast<std::byte*>(receive), type);
  const Part output{Slot::receive, 0, 0, count};
  if (is_in_place(send)) return {output, output};
  steps.bind(Slot::send, static_cast<std::byte*>(const_cast<void*>(send)), type);
  return {Part{Slot::send, 0, 0, count}, output};
}

node::Call node_call(Operation operation, const void* send, void* receive, Count count, Datatype& type, Op& op,
                     int root = 0) {
  const bool in_place = is_in_place(send);
  return {operation, Buffer(in_place ? receive : send, count, &type), Buffer(receive, count, &type), root, in_place, &op};
}

}  // namespace

Error reduce(const Buffer& send, const Buffer& receive, Op& op, int root, Communicator& comm) {
  if (comm.is_inter()) return inter::reduce(send, receive, op, root, comm);
  Datatype& type = *receive.type;
  OL_TRY(check_op(op, type));
  if (is_in_place(send) && comm.rank() != root)
    return Error(ErrorClass::buffer,
                 "MPI_IN_PLACE as sendbuf is for the root only: use MPI_IN_PLACE as sendbuf (root only for Reduce)");
  if (comm.rank() == root && is_in_place(receive)) return Error(ErrorClass::buffer, kInPlaceReceive);
  const Count count = receive.count, bytes = count * type.size();
  if (bytes == 0) return {};
  State& state = state_of(comm);
  const Timed timed(state);
  const Question question = reduction_question(Operation::reduce, comm.size(), bytes, op, type);
  const Choice choice = state.choose(comm, question, sign(Operation::reduce, root, bytes, &type, &op));
  if (choice.node())
    return state.run_on_node<Operation::reduce>(
        comm, node_call(Operation::reduce, send.data, receive.data, count, type, op, root));
  if (choice.cells())
    return state.run_in_cells(comm, node_call(Operation::reduce, send.data, receive.data, count, type, op, root));
  Direct steps(comm, Operation::reduce);
  const auto [input, output] = bind_operands(steps, send.data, receive.data, count, type, op);
  if (steps.size() == 1) {
    if (input != output) steps.copy(input, output);
    return steps.finish();
  }
  run<Operation::reduce>(steps, choice, {input, output, root, question.commutative});
  return steps.finish();
}

Error allreduce(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm) {
  if (comm.is_inter()) return inter::allreduce(send, receive, op, comm);
  Datatype& type = *receive.type;
  OL_TRY(check_op(op, type));
  if (is_in_place(receive)) return Error(ErrorClass::buffer, kInPlaceReceive);
  const Count count = receive.count, bytes = count * type.size();
  if (bytes == 0) return {};
  State& state = state_of(comm);
  const Timed timed(state);
  const Question question = reduction_question(Operation::allreduce, comm.size(), bytes, op, type);
  const Choice choice = state.choose(comm, question, sign(Operation::allreduce, 0, bytes, &type, &op));
  if (choice.node())
    return state.run_on_node<Operation::allreduce>(
        comm, node_call(Operation::allreduce, send.data, receive.data, count, type, op));
  if (choice.cells())
    return state.run_in_cells(comm, node_call(Operation::allreduce, send.data, receive.data, count, type, op));
  Direct steps(comm, Operation::allreduce);
  const auto [input, output] = bind_operands(steps, send.data, receive.data, count, type, op);
  if (steps.size() == 1) {
    if (input != output) steps.copy(input, output);
    return steps.finish();
  }
  run<Operation::allreduce>(steps, choice, {input, output, 0, question.commutative});
  return steps.finish();
}

namespace {

// `split` says how the vector is shared out.
template <Operation operation>
Error any_reduce_scatter(Direct& steps, const Choice& choice, const void* send, void* receive, const Split& split,
                         Datatype& type, Op& op) {
  const int p = steps.size();
  const auto [input, whole] = bind_operands(steps, send, receive, split.begin(p), type, op);
  const Part output = steps.slice(whole, 0, split.size(steps.rank()));
  if (p == 1) {
    if (input != output) steps.copy(input, output);
    return steps.finish();
  }
  run<operation>(steps, choice, {input, output, split});
  return steps.finish();
}

}  // namespace

Error reduce_scatter(const void* send, void* receive, CountSpan counts, Datatype& type, Op& op, Communicator& comm) {
  if (comm.is_inter()) return inter::reduce_scatter(send, receive, counts, type, op, comm);
  OL_TRY(check_op(op, type));
  if (is_in_place(receive)) return Error(ErrorClass::buffer, kInPlaceReceive);
  const int p = comm.size();
  Count count = 0;
  for (int i = 0; i < p; ++i) count += counts[i];
  const Count bytes = count * type.size();
  if (bytes == 0) return {};
  State& state = state_of(comm);
  const Timed timed(state);
  const Question question = reduction_question(Operation::reduce_scatter, p, bytes, op, type);
  const Choice choice = state.choose(comm, question, sign(Operation::reduce_scatter, 0, bytes, &type, &op));
  if (choice.of_node()) {
    node::Call call = node_call(Operation::reduce_scatter, send, receive, count, type, op);
    call.counts = counts;
    return choice.node() ? state.run_on_node<Operation::reduce_scatter>(comm, call) : state.run_in_cells(comm, call);
  }
  Direct steps(comm, Operation::reduce_scatter);
  Count* borders = steps.numbers(p + 1);
  if (borders == nullptr) return steps.finish();
  borders[0] = 0;
  for (int i = 0; i < p; ++i) borders[i + 1] = borders[i] + counts[i];
  return any_reduce_scatter<Operation::reduce_scatter>(steps, choice, send, receive, Split(borders), type, op);
}

Error reduce_scatter_block(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm) {
  if (comm.is_inter()) return inter::reduce_scatter_block(send, receive, op, comm);
  OL_TRY(check_op(op, *receive.type));
  if (is_in_place(receive)) return Error(ErrorClass::buffer, kInPlaceReceive);
  Datatype& type = *receive.type;
  const Count count = receive.count * comm.size(), bytes = count * type.size();
  if (bytes == 0) return {};
  State& state = state_of(comm);
  const Timed timed(state);
  const Question question = reduction_question(Operation::reduce_scatter_block, comm.size(), bytes, op, type);
  const Choice choice = state.choose(comm, question, sign(Operation::reduce_scatter_block, 0, bytes, &type, &op));
  if (choice.node())
    return state.run_on_node<Operation::reduce_scatter_block>(
        comm, node_call(Operation::reduce_scatter_block, send.data, receive.data, count, type, op));
  if (choice.cells())
    return state.run_in_cells(comm, node_call(Operation::reduce_scatter_block, send.data, receive.data, count, type, op));
  Direct steps(comm, Operation::reduce_scatter_block);
  return any_reduce_scatter<Operation::reduce_scatter_block>(steps, choice, send.data, receive.data,
                                                             Split(count, comm.size()), type, op);
}

Error scan(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm) {
  Datatype& type = *receive.type;
  OL_TRY(check_op(op, type));
  if (is_in_place(receive)) return Error(ErrorClass::buffer, kInPlaceReceive);
  const Count count = receive.count, bytes = count * type.size();
  if (bytes == 0) return {};
  State& state = state_of(comm);
  const Question question = reduction_question(Operation::scan, comm.size(), bytes, op, type);
  const Choice choice = state.choose(comm, question, sign(Operation::scan, 0, bytes, &type, &op));
  if (choice.node())
    return state.run_on_node<Operation::scan>(comm, node_call(Operation::scan, send.data, receive.data, count, type, op));
  Direct steps(comm, Operation::scan);
  const auto [input, output] = bind_operands(steps, send.data, receive.data, count, type, op);
  run<Operation::scan>(steps, choice, {input, output});
  return steps.finish();
}

Error exscan(const Buffer& send, const Buffer& receive, Op& op, Communicator& comm) {
  Datatype& type = *receive.type;
  OL_TRY(check_op(op, type));
  if (is_in_place(receive)) return Error(ErrorClass::buffer, kInPlaceReceive);
  const Count count = receive.count, bytes = count * type.size();
  if (bytes == 0 || comm.size() == 1) return {};
  State& state = state_of(comm);
  const Question question = reduction_question(Operation::exscan, comm.size(), bytes, op, type);
  const Choice choice = state.choose(comm, question, sign(Operation::exscan, 0, bytes, &type, &op));
  if (choice.node())
    return state.run_on_node<Operation::exscan>(comm,
                                                node_call(Operation::exscan, send.data, receive.data, count, type, op));
  Direct steps(comm, Operation::exscan);
  const auto [input, output] = bind_operands(steps, send.data, receive.data, count, type, op);
  run<Operation::exscan>(steps, choice, {input, output});
  return steps.finish();
}

Error reduce_local(const Buffer& in, const Buffer& inout, Op& op) {
  if (is_in_place(in) || is_in_place(inout))
    return Error(ErrorClass::buffer, "MPI_IN_PLACE has no meaning in MPI_Reduce_local");
  OL_TRY(check_op(op, *inout.type));
  return ompi_lite::reduce(op, *inout.type, in.data, inout.data, inout.count);
}

}  // namespace ompi_lite::coll
