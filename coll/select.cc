// SPDX-License-Identifier: BSD-3-Clause
// The table of operations and the choice among their algorithms.
#include "coll/select.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>

#include "coll/compare.h"
#include "coll/dispatch.h"
#include "coll/model.h"
#include "coll/on_device.h"
#include "coll/reproducible.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::coll {

constinit Knob<const char*> forced_algorithms(
    "coll", "", Unit::none,
    "Algorithms to use for collectives, such as allreduce=ring,bcast=knomial:4, or for some sizes "
    "and numbers of ranks: allreduce:64-4k@p<=16=node. Of several that fit the last one "
    "counts; where one is not legal the linear one is used.",
    algorithm_list);

namespace {

template <class A>
constexpr AlgorithmRow row_of(int number) {
  return {static_cast<std::uint8_t>(number),
          A::name,
          parameter_of<A>(),
          needs_commutative<A>(),
          &legal_for<A>,
          [](const Question& q, Count parameter) { return A::cost(q, parameter); },
          &usual_parameter<A>};
}

template <Operation operation>
constexpr int algorithms_of() {
  int n = (exists<operation, kNodeAlgorithm>() ? 1 : 0) + (exists<operation, kCellsAlgorithm>() ? 1 : 0);
  for_each_algorithm<operation>([&]<class A>(int) { ++n; });
  return n;
}

template <Operation operation>
constexpr auto kRows = [] {
  static_assert(exists<operation, 0>(), "number 0 is the linear reference");
  std::array<AlgorithmRow, static_cast<std::size_t>(algorithms_of<operation>())> rows{};
  std::size_t n = 0;
  for_each_algorithm<operation>([&]<class A>(int number) { rows[n++] = row_of<A>(number); });
  if constexpr (exists<operation, kCellsAlgorithm>())
    rows[n++] = row_of<AlgorithmOf<operation, kCellsAlgorithm>>(kCellsAlgorithm);
  if constexpr (exists<operation, kNodeAlgorithm>())
    rows[n] = row_of<AlgorithmOf<operation, kNodeAlgorithm>>(kNodeAlgorithm);
  return rows;
}();

struct Names {
  const char *name, *mpi_name;
};
constexpr Names kNames[kOperations] = {
    {"barrier", "MPI_Barrier"},
    {"bcast", "MPI_Bcast"},
    {"gather", "MPI_Gather"},
    {"gatherv", "MPI_Gatherv"},
    {"scatter", "MPI_Scatter"},
    {"scatterv", "MPI_Scatterv"},
    {"allgather", "MPI_Allgather"},
    {"allgatherv", "MPI_Allgatherv"},
    {"alltoall", "MPI_Alltoall"},
    {"alltoallv", "MPI_Alltoallv"},
    {"alltoallw", "MPI_Alltoallw"},
    {"neighbor_allgather", "MPI_Neighbor_allgather"},
    {"neighbor_allgatherv", "MPI_Neighbor_allgatherv"},
    {"neighbor_alltoall", "MPI_Neighbor_alltoall"},
    {"neighbor_alltoallv", "MPI_Neighbor_alltoallv"},
    {"neighbor_alltoallw", "MPI_Neighbor_alltoallw"},
    {"reduce", "MPI_Reduce"},
    {"allreduce", "MPI_Allreduce"},
    {"reduce_scatter", "MPI_Reduce_scatter"},
    {"reduce_scatter_block", "MPI_Reduce_scatter_block"},
    {"scan", "MPI_Scan"},
    {"exscan", "MPI_Exscan"},
};

constexpr auto kTable = []<int... i>(std::integer_sequence<int, i...>) {
  return std::array<OperationRow, kOperations>{
      OperationRow{static_cast<Operation>(i), kNames[i].name, kNames[i].mpi_name, kRows<static_cast<Operation>(i)>}...};
}
(std::make_integer_sequence<int, kOperations>());

static_assert([]<int... i>(std::integer_sequence<int, i...>) {
  return ((exists<static_cast<Operation>(i), kNodeAlgorithm>() == ((kSlotOperations >> i & 1u) != 0)) && ...);
}(std::make_integer_sequence<int, kOperations>()));

const OperationRow& row_of(Operation operation) { return kTable[static_cast<std::size_t>(operation)]; }

Count parameter_of(const AlgorithmRow& row, const Question& question, Count forced) {
  return forced > 0 ? forced : row.usual(question);
}

Choice cheapest(const Question& question, const MachineNumbers& numbers, int below) {
  const std::span<const AlgorithmRow> rows = row_of(question.operation).algorithms;
  Choice best{0, rows.front().usual(question)};
  double least = std::numeric_limits<double>::infinity();
  for (const AlgorithmRow& row : rows) {
    const Count parameter = row.usual(question);
    if (row.number >= below || !row.legal(question, parameter)) continue;
    const double time = predicted_time(question, row.cost(question, parameter), numbers);
    if (time >= least) continue;
    least = time;
    best = {row.number, parameter};
  }
  return best;
}

constinit KnobBase* const list[] = {&check_collectives, &forced_algorithms, &reproducible, &device_collectives};

}  // namespace

std::span<const OperationRow> operation_table() { return kTable; }
const char* mpi_name(Operation operation) { return row_of(operation).mpi_name; }

const AlgorithmRow* algorithm_row(Operation operation, int number) {
  for (const AlgorithmRow& row : row_of(operation).algorithms) {
    if (row.number == number) return &row;
  }
  return nullptr;
}

std::string choice_text(Operation operation, const Choice& choice) {
  const AlgorithmRow* row = choice.automatic() ? nullptr : algorithm_row(operation, choice.algorithm);
  if (row == nullptr) return "automatic";
  return choice.parameter == 0 ? row->name : std::string(row->name) + ":" + std::to_string(choice.parameter);
}

std::string algorithm_list() {
  std::string text;
  for (const OperationRow& row : kTable) {
    text += std::string(row.name) + ": " +
            list_names(row.algorithms,
                       [](const AlgorithmRow& each) {
                         return each.name +
                                (each.parameter.name == nullptr ? std::string() : ":" + std::string(each.parameter.name));
                       }) +
            "\n";
  }
  return text;
}

Choice select_at_once(const Question& question, const ForcedAlgorithms& forced) {
  const Choice wanted = forced.of(question);
  if (!wanted.automatic()) {
    const AlgorithmRow& row = *algorithm_row(question.operation, wanted.algorithm);
    const Count parameter = parameter_of(row, question, wanted.parameter);
    return row.legal(question, parameter) ? Choice{wanted.algorithm, parameter} : Choice{0, 0};
  }
  const AlgorithmRow& last = row_of(question.operation).algorithms.back();
  return last.number == kNodeAlgorithm && last.legal(question, 0) ? Choice{kNodeAlgorithm, 0} : Choice{};
}

Choice select(const Question& question, const ForcedAlgorithms& forced, const MachineNumbers& numbers) {
  if (const Choice choice = select_at_once(question, forced); !choice.automatic()) return choice;
  Question rounded = question;
  rounded.bytes = rounded_bytes(question.bytes);
  return cheapest(rounded, numbers, kNodeAlgorithm);
}

Choice select_messages(const Question& question, const MachineNumbers& numbers) {
  Question rounded = question;
  rounded.bytes = rounded_bytes(question.bytes);
  return cheapest(rounded, numbers, kCellsAlgorithm);
}

Count rounded_bytes(Count bytes) {
  const int low = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes))) - 3);
  return bytes >> low << low;
}

KnobGroup knobs() { return {"coll", list}; }

Error check_knobs() {
  Result<ForcedAlgorithms> parsed = parse_forced(forced_algorithms.value());
  if (parsed) return {};
  const char* named = std::getenv("OMPI_LITE_CONFIG");
  const KnobSource source = forced_algorithms.source();
  const char* place = source == KnobSource::user_file                        ? "~/.ompi_lite.conf"
                      : source == KnobSource::named_file && named != nullptr ? named
                                                                             : "OMPI_LITE_COLL";
  return make_error(ErrorClass::arg, "%s: %s", place, parsed.error().sentence());
}

}  // namespace ompi_lite::coll
