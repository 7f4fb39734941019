// SPDX-License-Identifier: BSD-3-Clause
// The exchange between the neighbors of a virtual topology.
#pragma once

#include <span>

#include "coll/shape.h"
#include "coll/steps.h"
#include "ompi_lite/core/grid.h"

namespace ompi_lite::coll {

//  a row of 4, periodic:   distance 0:  blocks that a rank sends to itself are copied
//                          distance 1:  rank -> rank+1     each block travels once, straight to its place
//                          distance 3:  rank -> rank-1     one round for up to kRoundMost messages
//
// `order` is the neighborhood's own (core/grid.h): all ranks take their blocks by distance, so rounds may end anywhere
// between two steps; and blocks between the same two ranks are sent and received in the same order, so each falls into its
// place.
template <Steps S>
void neighbor_exchange(S& steps, std::span<const NeighborStep> order, const Blocks& send, const Blocks& receive) {
  int messages = 0;
  for (const NeighborStep& step : order) {
    if (step.dest == steps.rank() && step.source == steps.rank()) {
      steps.copy(send[step.send_block], receive[step.receive_block]);
      continue;
    }
    if (messages + 2 > kRoundMost) {
      steps.end_round();
      messages = 0;
    }
    if (step.source != MPI_PROC_NULL) steps.recv(receive[step.receive_block], step.source);
    if (step.dest != MPI_PROC_NULL) steps.send(send[step.send_block], step.dest);
    messages += (step.source != MPI_PROC_NULL ? 1 : 0) + (step.dest != MPI_PROC_NULL ? 1 : 0);
  }
  steps.end_round();
}

}  // namespace ompi_lite::coll
