// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm an operation takes. Decided from what every rank knows, so that all decide alike; or forced by the
// knob `coll`.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/base/knob.h"

namespace ompi_lite::coll {

enum class Operation : std::uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
};
inline constexpr int kOperations = 22;

enum class Algorithm : std::uint8_t {
  automatic,  // no algorithm is forced
  linear,
  binomial,
  chain,
  scatter_allgather,
  dissemination,
  ring,
  circulant,
  bruck,
  pairwise,
  allgather_reduce,
  recursive_doubling,
  reduce_scatter_gather,
  doubling,
  tree,
  node,  // all ranks on one node, small: through shared slots, see node/
};

// A row of the table of algorithms: which exist for an operation, the linear reference first.
struct OperationRow {
  Operation operation;
  const char* name;      // as in the knob: allreduce
  const char* mpi_name;  // MPI_Allreduce
  std::span<const Algorithm> algorithms;
};
std::span<const OperationRow> operation_table();
const char* mpi_name(Operation operation);
const char* algorithm_name(Algorithm algorithm);

// What selection may look at: the same at every rank of a correct program.
struct Question {
  Operation operation;
  int ranks;
  Count bytes;  // bcast, reductions: of the vector; others: of the block of one rank; v- and w-forms: 0
  bool commutative = true;
  bool plain = true;         // reductions: a type without gaps
  bool share_cores = false;  // all on one node that has more ranks than cores
  Count node_capacity = -1;  // bytes of a shared slot of the node; -1: there is none
};

// What a rank puts into a slot of the node, if the call goes that way.
Count slot_need(const Question& question);

// Forced algorithms by operation, from a text such as "allreduce=ring,bcast=linear".
using ForcedAlgorithms = std::array<Algorithm, kOperations>;
Result<ForcedAlgorithms> parse_forced(std::string_view text);

// The forced algorithm where it is legal for the call, the linear reference where it is not; else the best we know.
Algorithm select(const Question& question, const ForcedAlgorithms& forced);

KnobGroup knobs();
// The knob's text: an error here names the known operations or algorithms. For start-up.
Error check_knobs();
extern constinit Knob<const char*> forced_algorithms;

}  // namespace ompi_lite::coll
