// SPDX-License-Identifier: BSD-3-Clause
// All-gather by neighbor exchange (Chen and others, 2005): half as many rounds as the ring, for an even number of ranks.
#pragma once

#include "coll/calls.h"

namespace ompi_lite::coll {

//  0 <-> 1   2 <-> 3   4 <-> 5              first the partners of a pair exchange their blocks; from then on the two blocks
//  of 1 <-> 2   3 <-> 4   5 <-> 0              a pair travel together, and each rank speaks in turn with the neighbor beyond
//  its 0 <-> 1   2 <-> 3   4 <-> 5              pair and with its partner: p/2 rounds, neighbors only. Blocks of any size.
struct AllgatherNeighborExchange {
  static constexpr const char* name = "neighbor_exchange";
  static constexpr bool legal(const Question& q, Count) { return q.ranks % 2 == 0; }
  static constexpr Cost cost(const Question& q, Count) {
    const double rounds = q.ranks / 2;
    return Cost::alike(q, rounds, rounds, (q.ranks - 1) * static_cast<double>(q.bytes), 0);
  }
  template <Steps S>
  static void run(S& steps, const AllgatherCall& call) {
    const int p = steps.size(), rank = steps.rank(), pairs = p / 2, own = rank / 2;
    const int outward = rank % 2 == 0 ? -1 : 1, partner = rank - outward;
    steps.sendrecv(call.blocks[rank], partner, call.blocks[partner], partner);
    steps.end_round();
    int last = own;  // the pair whose blocks came last
    for (int i = 1; i < pairs; ++i) {
      const bool crosses = i % 2 == 1;
      const int distance = (i + 1) / 2, direction = crosses ? outward : -outward;
      const int next = around(own, direction * distance, pairs), peer = crosses ? around(rank, outward, p) : partner;
      exchange(steps, call.blocks, 2 * last, 2 * next, peer);
      last = next;
    }
  }

 private:
  template <Steps S>
  static void exchange(S& steps, const Blocks& blocks, int out, int in, int peer) {
    if (blocks.uniform()) {
      steps.sendrecv(blocks.run(out, 2), peer, blocks.run(in, 2), peer);
    } else {
      for (int i = 0; i < 2; ++i) steps.sendrecv(blocks[out + i], peer, blocks[in + i], peer);
    }
    steps.end_round();
  }
};
template <>
struct AlgorithmOf<Operation::allgather, 4> : AllgatherNeighborExchange {};
template <>
struct AlgorithmOf<Operation::allgatherv, 3> : AllgatherNeighborExchange {};

}  // namespace ompi_lite::coll
