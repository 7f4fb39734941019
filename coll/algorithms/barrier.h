// SPDX-License-Identifier: BSD-3-Clause
// Barrier algorithms.
#pragma once

#include "coll/patterns.h"
#include "coll/steps.h"

namespace ompi_lite::coll {

//  0 <- 1, 2, 3      0 -> 1, 2, 3          2 rounds, 2(p-1) messages at rank 0. The reference.
template <Steps S>
void barrier_linear(S& steps) {
  const Part nothing{};
  if (steps.rank() != 0) {
    steps.send(nothing, 0);
    steps.end_round();
    steps.recv(nothing, 0);
    return steps.end_round();
  }
  for (int i = 1; i < steps.size(); ++i) {
    steps.recv(nothing, i);
    if (i % kWindow == 0) steps.end_round();
  }
  steps.end_round();
  for (int i = 1; i < steps.size(); ++i) {
    steps.send(nothing, i);
    if (i % kWindow == 0) steps.end_round();
  }
  steps.end_round();
}

//  round 1:  0 -> 1 -> 2 -> 3 -> 0         After round k a rank has heard, at first or second hand, from the 2^k - 1 ranks
//  round 2:  0 -> 2 -> 0   1 -> 3 -> 1     before it.  ceil(log2 p) rounds for any p, one message each way in a round.
template <Steps S>
void barrier_dissemination(S& steps) {
  const Part nothing{};
  const int p = steps.size();
  for (int distance = 1; distance < p; distance *= 2) {
    steps.sendrecv(nothing, around(steps.rank(), distance, p), nothing, around(steps.rank(), -distance, p));
    steps.end_round();
  }
}

}  // namespace ompi_lite::coll
