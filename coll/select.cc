// SPDX-License-Identifier: BSD-3-Clause
// The table of algorithms and the choice among them.
#include "coll/select.h"

#include <algorithm>
#include <string>

namespace ompi_lite::coll {

constinit Knob<const char*> forced_algorithms("coll", "", Unit::none,
                                              "Algorithms to use for collectives, such as allreduce=ring,bcast=linear; "
                                              "where one is not legal the linear one is used.");

namespace {

using A = Algorithm;

constexpr A kBarrier[] = {A::linear, A::dissemination, A::node};
constexpr A kBcast[] = {A::linear, A::binomial, A::chain, A::scatter_allgather, A::node};
constexpr A kRooted[] = {A::linear, A::binomial, A::node};
constexpr A kRootedV[] = {A::linear};
constexpr A kAllgather[] = {A::linear, A::ring, A::bruck, A::circulant, A::node};
constexpr A kAllgatherv[] = {A::linear, A::ring, A::bruck};
constexpr A kAlltoall[] = {A::linear, A::bruck, A::pairwise, A::node};
constexpr A kAlltoallv[] = {A::linear, A::pairwise};
constexpr A kNeighbors[] = {A::linear};
constexpr A kReduce[] = {A::linear, A::binomial, A::reduce_scatter_gather, A::node};
constexpr A kAllreduce[] = {A::linear, A::tree, A::allgather_reduce, A::recursive_doubling, A::circulant, A::ring, A::node};
constexpr A kReduceScatter[] = {A::linear, A::pairwise, A::circulant, A::ring};
constexpr A kReduceScatterBlock[] = {A::linear, A::pairwise, A::circulant, A::ring, A::node};
constexpr A kScan[] = {A::linear, A::doubling, A::node};

constexpr OperationRow kTable[kOperations] = {
    {Operation::barrier, "barrier", "MPI_Barrier", kBarrier},
    {Operation::bcast, "bcast", "MPI_Bcast", kBcast},
    {Operation::gather, "gather", "MPI_Gather", kRooted},
    {Operation::gatherv, "gatherv", "MPI_Gatherv", kRootedV},
    {Operation::scatter, "scatter", "MPI_Scatter", kRooted},
    {Operation::scatterv, "scatterv", "MPI_Scatterv", kRootedV},
    {Operation::allgather, "allgather", "MPI_Allgather", kAllgather},
    {Operation::allgatherv, "allgatherv", "MPI_Allgatherv", kAllgatherv},
    {Operation::alltoall, "alltoall", "MPI_Alltoall", kAlltoall},
    {Operation::alltoallv, "alltoallv", "MPI_Alltoallv", kAlltoallv},
    {Operation::alltoallw, "alltoallw", "MPI_Alltoallw", kAlltoallv},
    {Operation::neighbor_allgather, "neighbor_allgather", "MPI_Neighbor_allgather", kNeighbors},
    {Operation::neighbor_allgatherv, "neighbor_allgatherv", "MPI_Neighbor_allgatherv", kNeighbors},
    {Operation::neighbor_alltoall, "neighbor_alltoall", "MPI_Neighbor_alltoall", kNeighbors},
    {Operation::neighbor_alltoallv, "neighbor_alltoallv", "MPI_Neighbor_alltoallv", kNeighbors},
    {Operation::neighbor_alltoallw, "neighbor_alltoallw", "MPI_Neighbor_alltoallw", kNeighbors},
    {Operation::reduce, "reduce", "MPI_Reduce", kReduce},
    {Operation::allreduce, "allreduce", "MPI_Allreduce", kAllreduce},
    {Operation::reduce_scatter, "reduce_scatter", "MPI_Reduce_scatter", kReduceScatter},
    {Operation::reduce_scatter_block, "reduce_scatter_block", "MPI_Reduce_scatter_block", kReduceScatterBlock},
    {Operation::scan, "scan", "MPI_Scan", kScan},
    {Operation::exscan, "exscan", "MPI_Exscan", kScan},
};

constexpr const char* kNames[] = {"automatic",
                                  "linear",
                                  "binomial",
                                  "chain",
                                  "scatter_allgather",
                                  "dissemination",
                                  "ring",
                                  "circulant",
                                  "bruck",
                                  "pairwise",
                                  "allgather_reduce",
                                  "recursive_doubling",
                                  "reduce_scatter_gather",
                                  "doubling",
                                  "tree",
                                  "node"};

constexpr bool table_in_order() {
  for (int i = 0; i < kOperations; ++i) {
    if (static_cast<int>(kTable[i].operation) != i) return false;
  }
  return true;
}
static_assert(table_in_order());
static_assert(std::size(kNames) == static_cast<std::size_t>(A::node) + 1);

// The algorithms that reduce blocks in an order of their own.
bool needs_commutative(A algorithm) {
  return algorithm == A::ring || algorithm == A::circulant || algorithm == A::reduce_scatter_gather;
}
bool reduces(Operation operation) { return operation >= Operation::reduce; }

bool has_node(Operation operation) { return kTable[static_cast<std::size_t>(operation)].algorithms.back() == A::node; }

bool legal(A algorithm, const Question& question) {
  if (algorithm == A::node) return question.plain && slot_need(question) <= question.node_capacity;
  return question.commutative || !reduces(question.operation) || !needs_commutative(algorithm);
}

// Sizes where one algorithm takes over from another.
constexpr Count kBcastTree = 32 << 10;          // up to here whole messages down a tree
constexpr Count kGatherTree = 2 << 10;          // up to here blocks travel together
constexpr Count kAllgatherTogether = 64 << 10;  // of one block
constexpr Count kAlltoallTogether = 256;        // of one block
constexpr Count kReduceTree = 64 << 10;
constexpr Count kAllreduceGathered = 2 << 10;  // all vectors at all ranks
constexpr Count kAllreduceWhole = 32 << 10;
constexpr int kFewRanks = 16;

// Ranks that run one after the other gain nothing from dividing work, and pay for each round with a change of process:
// the fewest messages win, up to a size where the memory of one rank is the bottleneck. Measured with 4, 8 and 16 ranks
// on 2 cores.
A best_on_shared_cores(const Question& q) {
  constexpr Count kLinear = 128 << 10;
  switch (q.operation) {
    case Operation::reduce:
      return q.bytes <= kLinear ? A::linear : A::binomial;
    case Operation::allreduce:
      return q.bytes <= kLinear ? A::linear : A::tree;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return q.bytes <= kLinear ? A::linear : A::pairwise;
    case Operation::allgather:
      return q.bytes <= kAllgatherTogether ? A::circulant : A::ring;
    case Operation::allgatherv:
      return q.bytes <= kAllgatherTogether ? A::bruck : A::ring;
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::alltoallw:
      return A::pairwise;
    default:
      return A::linear;
  }
}

A best(const Question& q) {
  if (q.share_cores && q.ranks <= 2 * kFewRanks) return best_on_shared_cores(q);
  switch (q.operation) {
    case Operation::barrier:
      return A::dissemination;
    case Operation::bcast:
      if (q.ranks <= 2) return A::linear;
      return q.bytes <= kBcastTree ? A::binomial : A::scatter_allgather;
    case Operation::gather:
    case Operation::scatter:
      return q.ranks > kFewRanks && q.bytes <= kGatherTree ? A::binomial : A::linear;
    case Operation::gatherv:
    case Operation::scatterv:
    case Operation::neighbor_allgather:
    case Operation::neighbor_allgatherv:
    case Operation::neighbor_alltoall:
    case Operation::neighbor_alltoallv:
    case Operation::neighbor_alltoallw:
      return A::linear;
    case Operation::allgather:
      return q.bytes <= kAllgatherTogether ? A::circulant : A::ring;
    case Operation::allgatherv:
      return q.bytes <= kAllgatherTogether ? A::bruck : A::ring;
    case Operation::alltoall:
      return q.ranks > kFewRanks && q.bytes <= kAlltoallTogether ? A::bruck : A::pairwise;
    case Operation::alltoallv:
    case Operation::alltoallw:
      return A::pairwise;
    case Operation::reduce:
      return q.bytes <= kReduceTree || q.ranks <= 2 || !q.commutative ? A::binomial : A::reduce_scatter_gather;
    case Operation::allreduce:
      if (q.bytes <= kAllreduceGathered && q.ranks <= kFewRanks) return A::allgather_reduce;
      return q.bytes <= kAllreduceWhole || !q.commutative ? A::recursive_doubling : A::circulant;
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
      return q.ranks <= kFewRanks || !q.commutative ? A::pairwise : A::circulant;
    case Operation::scan:
    case Operation::exscan:
      return A::doubling;
  }
  return A::linear;
}

template <class Range, class Name>
std::string list_names(const Range& range, Name name) {
  std::string list;
  for (const auto& each : range) list += (list.empty() ? "" : ", ") + std::string(name(each));
  return list;
}

Error parse_one(std::string_view item, ForcedAlgorithms& forced) {
  const std::size_t equals = item.find('=');
  const std::string operation(item.substr(0, equals));
  const auto row = std::ranges::find(kTable, operation, &OperationRow::name);
  if (row == std::end(kTable)) {
    return make_error(ErrorClass::arg, "coll: no operation is named \"%s\"; known are %s", operation.c_str(),
                      list_names(kTable, [](const OperationRow& each) { return each.name; }).c_str());
  }
  const std::string wanted(equals == std::string_view::npos ? "" : item.substr(equals + 1));
  const auto algorithm = std::ranges::find(row->algorithms, wanted, algorithm_name);
  if (algorithm == row->algorithms.end()) {
    return make_error(ErrorClass::arg, "coll: %s has no algorithm \"%s\"; known are %s", operation.c_str(), wanted.c_str(),
                      list_names(row->algorithms, algorithm_name).c_str());
  }
  forced[static_cast<std::size_t>(row->operation)] = *algorithm;
  return {};
}

constinit KnobBase* const list[] = {&forced_algorithms};

}  // namespace

std::span<const OperationRow> operation_table() { return kTable; }
const char* mpi_name(Operation operation) { return kTable[static_cast<std::size_t>(operation)].mpi_name; }
const char* algorithm_name(Algorithm algorithm) { return kNames[static_cast<std::size_t>(algorithm)]; }

Result<ForcedAlgorithms> parse_forced(std::string_view text) {
  ForcedAlgorithms forced{};
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    if (!item.empty()) {
      if (Error error = parse_one(item, forced)) return error;
    }
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return forced;
}

Algorithm select(const Question& question, const ForcedAlgorithms& forced) {
  const Algorithm wanted = forced[static_cast<std::size_t>(question.operation)];
  if (wanted != A::automatic) return legal(wanted, question) ? wanted : A::linear;
  return legal(A::node, question) && has_node(question.operation) ? A::node : best(question);
}

Count slot_need(const Question& question) {
  switch (question.operation) {
    case Operation::barrier:
      return 0;
    case Operation::scatter:
    case Operation::alltoall:
      return question.bytes * question.ranks;
    default:
      return question.bytes;
  }
}

KnobGroup knobs() { return {"coll", list}; }

Error check_knobs() {
  Result<ForcedAlgorithms> parsed = parse_forced(forced_algorithms.value());
  return parsed ? Error() : parsed.error();
}

}  // namespace ompi_lite::coll
