// SPDX-License-Identifier: BSD-3-Clause
// What selection answers for a series of sizes, in words.
#include "ompi_lite/base/explain.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "coll/algorithms/node.h"
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
  if (call.one_node && call.ranks > 1 && call.ranks <= node::Region::kMostRanks) {
    question.node_capacity = node::Region::capacity(call.ranks);
    question.cells = true;
  }
  return question;
}

std::string row(const Question& question, const Choice& choice) {
  const AlgorithmRow* algorithm = algorithm_row(question.operation, choice.algorithm);
  if (algorithm == nullptr) return {};
  char text[80];
  std::snprintf(text, sizeof text, "%-28s %12.2f", choice_text(question.operation, choice).c_str(),
                predicted_time(question, algorithm->cost(question, choice.parameter)) * 1e6);
  return text;
}

std::string line_of(const Question& question, const ForcedAlgorithms& forced) {
  char size[24];
  std::snprintf(size, sizeof size, "%12lld  ", static_cast<long long>(question.bytes));
  const Choice choice = select(question, forced);
  std::string line = size + row(question, choice);
  const AlgorithmRow* cells = algorithm_row(question.operation, kCellsAlgorithm);
  if (!forced.of(question).automatic() || choice.of_node() || cells == nullptr || !cells->legal(question, 0))
    return line + "\n";
  const std::string in_cells = row(question, {kCellsAlgorithm, 0});
  if (question.exact) return line + "   or " + in_cells + "\n";
  return (cells_untried(question) ? size + in_cells : line) + "\n";
}

}  // namespace

Result<std::string> explain_selection(const ExplainedCall& call) {
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
  std::string text = std::string(found->mpi_name) + ", " + std::to_string(call.ranks) + " ranks, " +
                     (!call.one_node ? "each on a node of its own"
                      : share        ? "on one node, more than it has cores"
                                     : "on one node, a core each") +
                     "\n\n       bytes  algorithm                      predicted us\n";
  constexpr Count kMost = Count{16} << 20;
  const bool sizeless = operation == Operation::barrier;
  for (Count bytes = sizeless ? 0 : 8; bytes <= kMost; bytes = bytes == 0 ? kMost + 1 : 2 * bytes)
    text += line_of(question_of(operation, call, bytes), *forced);
  text += "\nBytes: of the vector in broadcasts and reductions, else of the block of one rank.\n";
  if (call.one_node && call.ranks > 1)
    text +=
        "`node` needs a communicator that has made two small calls before. \"or\": the communicator tries both and keeps "
        "what "
        "proves faster.\n";
  return text;
}

}  // namespace ompi_lite
