// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm an operation takes. Decided from what every rank knows, so that all decide alike; or forced by the
// knob `coll`.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "coll/algorithm.h"
#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/base/knob.h"

namespace ompi_lite::coll {

// What is to run: the number of an algorithm of the operation, and its parameter.
struct Choice {
  static constexpr std::uint8_t kAutomatic = 0xff;  // no algorithm is forced
  std::uint8_t algorithm = kAutomatic;
  Count parameter = 0;  // 0, if forced: the usual one of the algorithm

  bool automatic() const { return algorithm == kAutomatic; }
  bool node() const { return algorithm == kNodeAlgorithm; }
  bool cells() const { return algorithm == kCellsAlgorithm; }
  bool of_node() const { return !automatic() && algorithm >= kCellsAlgorithm; }
  bool operator==(const Choice&) const = default;
};

// An algorithm of an operation as the table knows it.
struct AlgorithmRow {
  std::uint8_t number;
  const char* name;
  ParameterRange parameter;
  bool commutative_only;
  bool (*legal)(const Question& question, Count parameter);
  Cost (*cost)(const Question& question, Count parameter);
  Count (*usual)(const Question& question);
};

// A row of the table of operations, the linear reference first among the algorithms.
struct OperationRow {
  Operation operation;
  const char* name;      // as in the knob: allreduce
  const char* mpi_name;  // MPI_Allreduce
  std::span<const AlgorithmRow> algorithms;
};
std::span<const OperationRow> operation_table();
const char* mpi_name(Operation operation);
// The algorithm with this number; null if there is none.
const AlgorithmRow* algorithm_row(Operation operation, int number);
// "knomial:4", "ring", "automatic".
std::string choice_text(Operation operation, const Choice& choice);

// Forced algorithms by operation, from a text such as "allreduce=ring,bcast=knomial:4".
using ForcedAlgorithms = std::array<Choice, kOperations>;
Result<ForcedAlgorithms> parse_forced(std::string_view text);

// The forced algorithm where it is legal for the call, the linear reference where it is not; else the legal one that costs
// least. Calls of about the same size choose alike.
Choice select(const Question& question, const ForcedAlgorithms& forced);
// The part of it that is decided without comparing costs: what is forced, and the slots of the node; else automatic.
Choice select_at_once(const Question& question, const ForcedAlgorithms& forced);
// Seconds that the algorithm is expected to take.
double predicted_time(const Question& question, const Cost& cost);
// The size in whose place selection decides: rounded down to three bits.
Count rounded_bytes(Count bytes);

// The known algorithms, a line for each operation.
std::string algorithm_list();
KnobGroup knobs();
// The knob's text: an error here names the known operations or algorithms. For start-up.
Error check_knobs();
extern constinit Knob<const char*> forced_algorithms;

}  // namespace ompi_lite::coll
