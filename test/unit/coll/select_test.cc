// SPDX-License-Identifier: BSD-3-Clause
// Selection: legality first, then the forced algorithm, then cost; and the text that forces.
#include "coll/select.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "coll/algorithms/node.h"

using namespace ompi_lite;
using namespace ompi_lite::coll;

namespace {

std::string parse_error(const std::string& text) {
  Result<ForcedAlgorithms> forced = parse_forced(text);
  return forced ? "" : forced.error().sentence();
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// The name of what is chosen, with its parameter.
std::string chosen(const Question& question, const char* forced = "") {
  Result<ForcedAlgorithms> parsed = parse_forced(forced);
  REQUIRE(parsed);
  return choice_text(question.operation, select(question, *parsed));
}

}  // namespace

TEST_CASE("every algorithm of every operation can be forced by name") {
  for (const OperationRow& row : operation_table()) {
    std::set<std::string> names;
    CHECK(row.algorithms.front().number == 0);
    CHECK(std::string(row.algorithms.front().name) == "linear");
    for (const AlgorithmRow& algorithm : row.algorithms) {
      INFO(row.name << "=" << algorithm.name);
      CHECK(names.insert(algorithm.name).second);
      Question question{row.operation, 6, 1000};
      question.node_capacity = 6000;
      question.cells = true;
      question.hosts = 2;
      question.least_on_host = 2;
      Result<ForcedAlgorithms> forced = parse_forced(std::string(row.name) + "=" + algorithm.name);
      REQUIRE(forced);
      CHECK(select(question, *forced).algorithm == algorithm.number);
      CHECK(select(question, *forced).parameter == algorithm.usual(question));
      const ParameterRange& range = algorithm.parameter;
      for (Count parameter : {range.least, range.most}) {
        const std::string text = std::string(row.name) + "=" + algorithm.name + ":" + std::to_string(parameter);
        if (range.name == nullptr) {
          CHECK(has(parse_error(text), "takes no parameter"));
          continue;
        }
        Result<ForcedAlgorithms> with = parse_forced(text);
        REQUIRE(with);
        CHECK(algorithm.usual(question) >= range.least);
        CHECK(algorithm.usual(question) <= range.most);
        CHECK(select(question, *with) == Choice{algorithm.number, parameter});
      }
    }
  }
}

TEST_CASE("several algorithms are forced at once, and empty items do no harm") {
  const char* forced = "allreduce=ring,bcast=linear,";
  CHECK(chosen({Operation::allreduce, 4, 8}, forced) == "ring");
  CHECK(chosen({Operation::bcast, 4, 1 << 20}, forced) == "linear");
  CHECK(chosen({Operation::barrier, 4, 0}, forced) == "dissemination:2");
  REQUIRE(parse_forced(""));
}

TEST_CASE("a parameter is a whole number in the algorithm's range, with k or m for powers of 1024") {
  CHECK(chosen({Operation::bcast, 4, 8}, "bcast=knomial:4") == "knomial:4");
  CHECK(chosen({Operation::bcast, 4, 8}, "bcast=chain:64k") == "chain:65536");
  CHECK(chosen({Operation::bcast, 4, 8}, "bcast=chain:2M") == "chain:2097152");
  for (const char* wrong : {"1", "17", "", "x", "4x", "-3", "k", "99999999999999"}) {
    INFO(wrong);
    CHECK(has(parse_error(std::string("bcast=knomial:") + wrong), "the radix is a number from 2 to 16"));
  }
}

TEST_CASE("an unknown operation or algorithm is refused with the known names") {
  CHECK(has(parse_error("allreduc=ring"), "allreduc\""));
  CHECK(has(parse_error("allreduc=ring"), "allgatherv, alltoall"));
  CHECK(has(parse_error("allreduce=fast"), "\"fast\"; known are linear, tree, allgather_reduce"));
  CHECK(has(parse_error("bcast=linear,allreduce"), "allreduce has no algorithm \"\""));
  CHECK(has(parse_error("="), "no operation"));
}

TEST_CASE("an algorithm is forced for some sizes and numbers of ranks") {
  const char* forced = "allreduce=ring,allreduce:64-4k@p<=16=allgather_reduce,allreduce:1m-=linear,bcast@p=5-6=knomial:3";
  const auto at = [&](int ranks, Count bytes) { return chosen({Operation::allreduce, ranks, bytes}, forced); };
  CHECK(at(8, 63) == "ring");
  CHECK(at(8, 64) == "allgather_reduce");
  CHECK(at(16, 4096) == "allgather_reduce");
  CHECK(at(17, 4096) == "ring");
  CHECK(at(8, 4097) == "ring");
  CHECK(at(17, 1 << 20) == "linear");
  CHECK(chosen({Operation::bcast, 5, 8}, forced) == "knomial:3");
  CHECK(chosen({Operation::bcast, 7, 8}, "bcast=linear,bcast@p<7=chain") == "linear");
  CHECK(chosen({Operation::bcast, 7, 8}, "bcast@p>7=chain,bcast=linear") == "linear");
  CHECK(chosen({Operation::bcast, 7, 8}, "bcast@p>6=chain:100,bcast:-7=linear") == "chain:100");
  CHECK(chosen({Operation::bcast, 7, 7}, "bcast@p>6=chain:100,bcast:-7=linear") == "linear");
  CHECK(chosen({Operation::bcast, 7, 8}, "bcast:8=chain:100") == "chain:100");
  Question small{Operation::allreduce, 4, 8};
  small.node_capacity = 4096;
  CHECK(chosen(small, "allreduce:64-4k=ring") == "node");
  CHECK(chosen(small, "allreduce:-64@p<=16=oneshot") == "node");
  // What is wrong is named.
  CHECK(has(parse_error("allreduce:64-4q=ring"), "allreduce:64-4q=ring: \"64-4q\" is no range: write 64, 64-4k"));
  CHECK(has(parse_error("allreduce:4k-64=ring"), "\"4k-64\" is no range"));
  CHECK(has(parse_error("allreduce:=ring"), "is no range"));
  CHECK(has(parse_error("allreduce:-=ring"), "is no range"));
  CHECK(has(parse_error("allreduce@q<=16=ring"), "\"q<=16\" is no number of ranks: write p<=16"));
  CHECK(has(parse_error("allreduce@p16=ring"), "\"p16\" is no number of ranks"));
  CHECK(has(parse_error("allreduce@p<x=ring"), "is no number of ranks"));
  CHECK(has(parse_error("allreduce@=ring"), "is no number of ranks"));
  CHECK(has(parse_error("allreduce:64-4k@p<=16"), "is no number of ranks"));
  CHECK(has(parse_error("allredcue:64=ring"), "no operation is named \"allredcue\""));
}

TEST_CASE("a forced algorithm that is not legal for the call gives way to the linear reference") {
  for (const char* text : {"allreduce=ring", "allreduce=circulant"}) {
    CHECK(chosen({Operation::allreduce, 4, 1 << 20, false}, text) == "linear");
  }
}

TEST_CASE("what fits a slot of the node goes through it, unless the type has gaps or another algorithm is forced") {
  Question question{Operation::allreduce, 4, 1024};
  question.node_capacity = 4096;
  CHECK(chosen(question) == "node");
  question.bytes = 4097;
  CHECK(chosen(question) != "node");
  question.bytes = 1024;
  question.plain = false;
  CHECK(chosen(question) != "node");
  question.operation = Operation::alltoall;  // all blocks of a rank have to fit
  question.plain = true;
  CHECK(chosen(question) == "node");
  question.ranks = 5;
  CHECK(chosen(question) != "node");
  question.operation = Operation::barrier;
  CHECK(chosen(question, "allreduce=node,barrier=linear") == "linear");
  CHECK(chosen({Operation::allreduce, 4, 8}, "allreduce=node") == "linear");  // forced, but there are no slots
}

TEST_CASE("the short way to the slots goes where the long one does") {
  for (const OperationRow& row : operation_table()) {
    for (const Count bytes : {0, 1, 999, 1000, 1001, 6000, 6001}) {
      for (int flags = 0; flags < 8; ++flags) {
        Question question{row.operation, 6, bytes, (flags & 1) != 0, (flags & 2) != 0};
        question.fixed_order = (flags & 4) != 0;
        question.node_capacity = 6000;
        INFO(row.name << " of " << bytes << " bytes, " << flags);
        CHECK(takes_slots(question, 6000) == select_at_once(question, {}).node());
        CHECK(!takes_slots(question, -1));
      }
    }
  }
}

TEST_CASE("only legal algorithms are chosen, and calls of about the same size choose alike") {
  for (const OperationRow& row : operation_table()) {
    for (int ranks = 2; ranks <= 64; ++ranks) {
      for (Count bytes = 0; bytes < Count{1} << 34; bytes = bytes * 3 + 1) {
        for (int kind = 0; kind < 6; ++kind) {
          Question question{row.operation, ranks, bytes, kind % 2 == 0};
          question.one_node = kind / 2 > 0;
          question.share_cores = kind / 2 > 1;
          const Choice choice = select(question, {});
          const AlgorithmRow* algorithm = algorithm_row(row.operation, choice.algorithm);
          REQUIRE(algorithm != nullptr);
          REQUIRE(algorithm->legal(question, choice.parameter));
          REQUIRE((question.commutative || row.operation < Operation::reduce || !algorithm->commutative_only));
          question.bytes = rounded_bytes(bytes);
          REQUIRE(select(question, {}) == choice);
        }
      }
    }
  }
}

TEST_CASE("the list of algorithms names each with its parameter") {
  CHECK(has(algorithm_list(), "bcast: linear, knomial:radix, chain:segment in bytes"));
}

TEST_CASE("where the order of operands is fixed, only algorithms that keep it are chosen") {
  for (const char* text :
       {"", "allreduce=tree", "allreduce=ring", "allreduce=recursive_multiplying", "allreduce=circulant"}) {
    for (Count bytes : {8, 1000, 100000, 10000000}) {
      Question question{Operation::allreduce, 7, bytes, false};
      question.fixed_order = true;
      const std::string name = chosen(question, text);
      CHECK((name == "linear" || name == "allgather_reduce" || has(name, "pairwise")));
    }
  }
  Question scan{Operation::scan, 4, 8, false};
  scan.node_capacity = 4096;
  CHECK(chosen(scan) == "node");
  scan.fixed_order = true;
  CHECK(chosen(scan) != "node");
}
