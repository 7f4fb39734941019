// SPDX-License-Identifier: BSD-3-Clause
// What an algorithm is given: the arguments of a call as parts and blocks, one struct for each kind of operation.
// `parameter` is the algorithm's own number (ParameterRange), 0 if it takes none.
#pragma once

#include <span>

#include "coll/algorithm.h"
#include "coll/patterns.h"
#include "coll/shape.h"
#include "coll/steps.h"
#include "ompi_lite/core/grid.h"

namespace ompi_lite::coll {

struct BarrierCall {
  Count parameter = 0;
};

// `data` has the same bytes at every rank, whatever its type there.
struct BcastCall {
  Part data;
  int root;
  Count parameter = 0;
};

// Gather, scatter and their v-forms. `blocks` counts at the root only, whose own block is in its place already.
struct RootedCall {
  Part mine;
  Blocks blocks;
  int root;
  Count block;  // bytes of one block; 0 in the v-forms
  Count parameter = 0;
};

// A rank's own block lies in its place already. The v-form has uneven blocks. `own` is the user's original of it, if there
// is one: better to send from, since what a core has just written is dear to read for another one.
struct AllgatherCall {
  Blocks blocks;
  Count parameter = 0;
  Part own = {};
  Part block_to_send(int number, int rank) const { return number == rank && own.count > 0 ? own : blocks[number]; }
};

// A rank's block for itself is moved already.
struct AlltoallCall {
  Blocks send, receive;
  Count block;  // bytes of one block; 0 in the v- and w-forms
  Count parameter = 0;
};

// `order` is the neighborhood's own (core/grid.h).
struct NeighborCall {
  std::span<const NeighborStep> order;
  Blocks send, receive;
  Count parameter = 0;
};

// Reduce, allreduce, scan, exscan. `output` may be `input` (in place); in reduce it counts at the root only.
struct ReduceCall {
  Part input, output;
  int root = 0;
  bool commutative = true;
  Count parameter = 0;
};

// Rank i gets the reduction of block i of the vector; `output`, of the size of a block, may begin where `input` does.
struct ReduceScatterCall {
  Part input, output;
  Split split;
  Count parameter = 0;
};

// Which kind an operation is.
template <Operation operation>
constexpr auto call_of() {
  using O = Operation;
  if constexpr (operation == O::barrier) {
    return std::type_identity<BarrierCall>();
  } else if constexpr (operation == O::bcast) {
    return std::type_identity<BcastCall>();
  } else if constexpr (operation <= O::scatterv) {
    return std::type_identity<RootedCall>();
  } else if constexpr (operation <= O::allgatherv) {
    return std::type_identity<AllgatherCall>();
  } else if constexpr (operation <= O::alltoallw) {
    return std::type_identity<AlltoallCall>();
  } else if constexpr (operation <= O::neighbor_alltoallw) {
    return std::type_identity<NeighborCall>();
  } else if constexpr (operation == O::reduce_scatter || operation == O::reduce_scatter_block) {
    return std::type_identity<ReduceScatterCall>();
  } else {
    return std::type_identity<ReduceCall>();
  }
}
template <Operation operation>
using CallOf = typename decltype(call_of<operation>())::type;

}  // namespace ompi_lite::coll
