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
#include "coll/forced.h"
#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/machine.h"

namespace ompi_lite::coll {

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

// The forced algorithm where it is legal for the call, the linear reference where it is not; else the legal one that costs
// least. Calls of about the same size choose alike. A pure function: ranks that know the same choose alike.
Choice select(const Question& question, const ForcedAlgorithms& forced, const MachineNumbers& numbers = {});
// Of those that go by messages, the legal one that costs least.
Choice select_messages(const Question& question, const MachineNumbers& numbers);
// The part of it that is decided without comparing costs: what is forced, and the slots of the node; else automatic.
Choice select_at_once(const Question& question, const ForcedAlgorithms& forced);
// The size in whose place selection decides: rounded down to three bits.
Count rounded_bytes(Count bytes);

// The names of what a range holds, with commas.
template <class Range, class Name>
std::string list_names(const Range& range, Name name) {
  std::string list;
  for (const auto& each : range) list += (list.empty() ? "" : ", ") + std::string(name(each));
  return list;
}
// The known algorithms, a line for each operation.
std::string algorithm_list();
KnobGroup knobs();
// The knob's text: an error names where it stands, the word, and what is known. For start-up.
Error check_knobs();
extern constinit Knob<const char*> forced_algorithms;

}  // namespace ompi_lite::coll
