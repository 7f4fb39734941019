// SPDX-License-Identifier: BSD-3-Clause
// What selection answers for a series of sizes.
#include "ompi_lite/base/explain.h"

#include <algorithm>
#include <string>
#include <vector>

#include "coll/algorithms/node.h"
#include "coll/model.h"
#include "coll/node/region.h"
#include "coll/reproducible.h"
#include "coll/select.h"
#include "ompi_lite/base/locality.h"

namespace ompi_lite {

namespace {

using namespace coll;

// A sum of floats where the operation reduces: the usual case.
Question question_of(Operation operation, const ExplainedCall& call, Count bytes) {
  Question question{operation, call.ranks, bytes};
  const bool reduces = operation >= Operation::reduce;
  question.exact = !reduces || call.ranks == 2 || reproducible.value();
  question.fixed_order = reduces && reproducible.value();
  question.commutative = !question.fixed_order;
  question.one_node = call.one_node;
  question.share_cores = call.one_node && call.ranks > usable_cpus();
  question.cores = usable_cpus();
  if (call.one_node && call.ranks > 1 && call.ranks <= node::Region::kMostRanks) {
    question.node_capacity = node::Region::capacity(call.ranks);
    question.cells = true;
  }
  return question;
}

struct Candidate {
  Choice choice;
  double time;
};

// The legal algorithms, the fastest first.
std::vector<Candidate> candidates(const Question& question, const MachineNumbers& numbers) {
  std::vector<Candidate> list;
  for (const AlgorithmRow& row : operation_table()[static_cast<std::size_t>(question.operation)].algorithms) {
    const Count parameter = row.usual(question);
    if (row.legal(question, parameter))
      list.push_back({{row.number, parameter}, predicted_time(question, row.cost(question, parameter), numbers)});
  }
  std::ranges::stable_sort(list, {}, &Candidate::time);
  return list;
}

ExplainedSize size_of(const Question& question, const ForcedAlgorithms& forced, const MachineNumbers& numbers) {
  const auto text = [&](const Choice& choice) { return choice_text(question.operation, choice); };
  const Choice choice = select(question, forced, numbers);
  const AlgorithmRow& row = *algorithm_row(question.operation, choice.algorithm);
  ExplainedSize size{question.bytes, text(choice), {}};
  size.predicted = predicted_time(question, row.cost(question, choice.parameter), numbers);
  size.forced = !forced.of(question).automatic();
  const AlgorithmRow* cells = algorithm_row(question.operation, kCellsAlgorithm);
  size.tried = !size.forced && !choice.node() && question.exact && cells != nullptr && cells->legal(question, 0);
  for (const Candidate& each : candidates(question, numbers)) {
    if (each.choice.algorithm == choice.algorithm) continue;
    size.second = text(each.choice);
    size.second_predicted = each.time;
    break;
  }
  return size;
}

}  // namespace

Result<Explanation> explain_selection(const ExplainedCall& call, const MachineNumbers& numbers) {
  const auto table = operation_table();
  const auto found = std::ranges::find(table, call.operation, &OperationRow::name);
  if (found == table.end()) {
    return make_error(ErrorClass::arg, "no operation is named \"%.*s\"; known are %s",
                      static_cast<int>(call.operation.size()), call.operation.data(),
                      list_names(table, [](const OperationRow& each) { return each.name; }).c_str());
  }
  if (call.ranks < 1) return make_error(ErrorClass::arg, "%d is no number of ranks", call.ranks);
  Result<ForcedAlgorithms> forced = parse_forced(forced_algorithms.value());
  if (!forced) return forced.error();
  const Operation operation = found->operation;
  const bool share = question_of(operation, call, 8).share_cores;
  Explanation answer{found->mpi_name,
                     !call.one_node ? "each on a node of its own"
                     : share        ? "on one node, more than it has cores"
                                    : "on one node, a core each",
                     {}};
  constexpr Count kMost = Count{16} << 20;
  const bool sizeless = operation == Operation::barrier;
  for (Count bytes = sizeless ? 0 : 8; bytes <= kMost; bytes = bytes == 0 ? kMost + 1 : 2 * bytes)
    answer.sizes.push_back(size_of(question_of(operation, call, bytes), *forced, numbers));
  return answer;
}

}  // namespace ompi_lite
