// SPDX-License-Identifier: BSD-3-Clause
// The small collectives of one node as selection sees them; what they do is in coll/node/.
#pragma once

#include <algorithm>
#include <cmath>

#include "coll/algorithm.h"

namespace ompi_lite::coll {

// What a rank puts into a slot of the node, if the call goes that way.
constexpr Count slot_need(const Question& q) {
  const bool all_blocks = q.operation == Operation::scatter || q.operation == Operation::alltoall;
  if (q.operation == Operation::allgatherv) return q.longest;
  return q.operation == Operation::barrier ? 0 : all_blocks ? q.bytes * q.ranks : q.bytes;
}

// The operations that have slots: the classes below.
constexpr std::uint32_t kSlotOperations = [] {
  std::uint32_t set = 0;
  for (const Operation each :
       {Operation::barrier, Operation::bcast, Operation::gather, Operation::scatter, Operation::allgather,
        Operation::alltoall, Operation::reduce, Operation::allreduce, Operation::reduce_scatter_block, Operation::scan,
        Operation::exscan, Operation::gatherv, Operation::scatterv, Operation::allgatherv, Operation::alltoallv,
        Operation::alltoallw, Operation::reduce_scatter})
    set |= 1u << static_cast<unsigned>(each);
  return set;
}();
// Those whose blocks are uneven and not known to all: what does not fit into the slots goes through the cells or by
// messages.
constexpr bool uneven(Operation operation) {
  return operation == Operation::gatherv || operation == Operation::scatterv || operation == Operation::alltoallv ||
         operation == Operation::alltoallw;
}
// Whether a call where nothing is forced goes through the slots of `capacity` bytes, as legal_for() would say it. Small
// calls ask each time.
constexpr bool takes_slots(const Question& q, Count capacity) {
  const bool left_first = q.operation == Operation::scan || q.operation == Operation::exscan;
  return (kSlotOperations >> static_cast<unsigned>(q.operation) & 1u) != 0 && q.plain && slot_need(q) <= capacity &&
         !(q.fixed_order && left_first);
}

// Where it is legal nothing is faster: no messages, no dependent rounds.
struct NodeOneShot {
  static constexpr const char* name = "node";
  static constexpr bool fixed_order = true;
  static constexpr bool legal(const Question& q, Count) { return q.plain && slot_need(q) <= q.node_capacity; }
  // For those who ask what it takes (explain.cc): selection does not compare it.
  static constexpr Cost cost(const Question& q, Count) {
    constexpr double kHead = 16, kLine = 64;
    const bool from_root = q.operation == Operation::bcast || q.operation == Operation::scatter;
    const double sources = from_root ? 1 : q.ranks - 1,
                 m = q.operation == Operation::barrier ? 0 : static_cast<double>(q.bytes);
    return {.handled = static_cast<double>(slot_need(q)) + sources * m, .lines = sources * (1 + (kHead + m - 1) / kLine)};
  }
};
// The slots of the lower ranks are reduced from the right, where the references add rank by rank from the left.
struct NodeScan : NodeOneShot {
  static constexpr bool fixed_order = false;
};
template <>
struct AlgorithmOf<Operation::barrier, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::bcast, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::gather, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::scatter, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::allgather, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::alltoall, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::reduce, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::allreduce, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::reduce_scatter_block, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::gatherv, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::scatterv, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::allgatherv, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::alltoallv, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::alltoallw, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::reduce_scatter, kNodeAlgorithm> : NodeOneShot {};
template <>
struct AlgorithmOf<Operation::scan, kNodeAlgorithm> : NodeScan {};
template <>
struct AlgorithmOf<Operation::exscan, kNodeAlgorithm> : NodeScan {};

// Larger data walk through cells in pieces: a rank copies in what the others need of it, and all copy out or reduce a share.
struct NodeCells {
  static constexpr const char* name = "cells";
  static constexpr bool fixed_order = true;
  static constexpr bool legal(const Question& q, Count) { return q.plain && q.cells; }
  // In and out of a cell. All ranks wait for all once a piece where each needs something of each other, and where a ring is
  // full in a stream.
  static Cost cost(const Question& q, Count) {
    const double p = q.ranks, others = p - 1;
    const double m = static_cast<double>(q.bytes) / (q.operation == Operation::allgatherv ? p : 1), share = m * others / p;
    Cost cost;
    // Of the busiest rank, and of all.
    const auto work = [&](double shown, double fetched, double all_shown, double all_fetched) {
      cost.shown = shown;
      cost.fetched = fetched;
      cost.all_shown = all_shown;
      cost.all_fetched = all_fetched;
    };
    switch (q.operation) {
      case Operation::bcast:
        work(0, m, m, others * m);
        break;
      case Operation::gather:
        work(0, others * m, others * m, others * m);
        break;
      case Operation::scatter:
        work(others * m, 0, others * m, others * m);
        break;
      case Operation::allgather:
      case Operation::allgatherv:
        work(m, others * m, p * m, p * others * m);
        break;
      case Operation::alltoall:
        work(others * m, others * m, p * others * m, p * others * m);
        break;
      case Operation::reduce:
        work(share, 2 * share, p * share, (p + 1) * share);
        break;
      case Operation::allreduce:
        work(share, 2 * share, p * share, 2 * p * share);
        break;
      default:  // reduce_scatter_block
        work(share, share, p * share, p * share);
    }
    const bool reduces = q.operation >= Operation::reduce;
    if (reduces) cost.handled = share;
    cost.all_handled = p * cost.handled;
    // On crowded cores a rank runs until it must wait; else the reader follows the writer from piece to piece.
    constexpr double kPiece = 32 << 10, kRings = 4 << 20;
    const double turn = std::ceil(std::max(cost.shown, cost.fetched) / (q.share_cores || reduces ? kRings / p : kPiece));
    cost.meetings = reduces && q.operation != Operation::reduce_scatter_block ? 2 * turn : 0.5 + turn / 2;
    return cost;
  }
};
template <>
struct AlgorithmOf<Operation::bcast, kCellsAlgorithm> : NodeCells {};
template <>
struct AlgorithmOf<Operation::gather, kCellsAlgorithm> : NodeCells {};
template <>
struct AlgorithmOf<Operation::scatter, kCellsAlgorithm> : NodeCells {};
template <>
struct AlgorithmOf<Operation::allgather, kCellsAlgorithm> : NodeCells {};
template <>
struct AlgorithmOf<Operation::allgatherv, kCellsAlgorithm> : NodeCells {};
template <>
struct AlgorithmOf<Operation::alltoall, kCellsAlgorithm> : NodeCells {};
template <>
struct AlgorithmOf<Operation::reduce, kCellsAlgorithm> : NodeCells {};
template <>
struct AlgorithmOf<Operation::allreduce, kCellsAlgorithm> : NodeCells {};
template <>
struct AlgorithmOf<Operation::reduce_scatter, kCellsAlgorithm> : NodeCells {};
template <>
struct AlgorithmOf<Operation::reduce_scatter_block, kCellsAlgorithm> : NodeCells {};

}  // namespace ompi_lite::coll
