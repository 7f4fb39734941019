// SPDX-License-Identifier: BSD-3-Clause
// The exchange between the neighbors of a virtual topology.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  a row of 4, periodic:   distance 0:  blocks that a rank sends to itself are copied
//                          distance 1:  rank -> rank+1     each block travels once, straight to its place
//                          distance 3:  rank -> rank-1     one round for up to kRoundMost messages
//
// All ranks take their blocks by distance, so rounds may end anywhere between two steps; and blocks between the same two
// ranks are sent and received in the same order, so each falls into its place.
struct NeighborLinear {
  static constexpr const char* name = "linear";
  static constexpr Cost cost(const Question&, Count) { return {}; }  // there is no other
  template <Steps S>
  static void run(S& steps, const NeighborCall& call) {
    int messages = 0;
    for (const NeighborStep& step : call.order) {
      if (step.dest == steps.rank() && step.source == steps.rank()) {
        steps.copy(call.send[step.send_block], call.receive[step.receive_block]);
        continue;
      }
      if (messages + 2 > kRoundMost) {
        steps.end_round();
        messages = 0;
      }
      if (step.source != MPI_PROC_NULL) steps.recv(call.receive[step.receive_block], step.source);
      if (step.dest != MPI_PROC_NULL) steps.send(call.send[step.send_block], step.dest);
      messages += (step.source != MPI_PROC_NULL ? 1 : 0) + (step.dest != MPI_PROC_NULL ? 1 : 0);
    }
    steps.end_round();
  }
};
template <>
struct AlgorithmOf<Operation::neighbor_allgather, 0> : NeighborLinear {};
template <>
struct AlgorithmOf<Operation::neighbor_allgatherv, 0> : NeighborLinear {};
template <>
struct AlgorithmOf<Operation::neighbor_alltoall, 0> : NeighborLinear {};
template <>
struct AlgorithmOf<Operation::neighbor_alltoallv, 0> : NeighborLinear {};
template <>
struct AlgorithmOf<Operation::neighbor_alltoallw, 0> : NeighborLinear {};

}  // namespace ompi_lite::coll
