// SPDX-License-Identifier: BSD-3-Clause
// Selection: legality first, then the forced algorithm, then size; and the text that forces.
#include "coll/select.h"

#include <catch2/catch.hpp>
#include <string>

using namespace ompi_lite;
using namespace ompi_lite::coll;

namespace {

std::string parse_error(const char* text) {
  Result<ForcedAlgorithms> forced = parse_forced(text);
  return forced ? "" : forced.error().sentence();
}

}  // namespace

TEST_CASE("every algorithm of every operation can be forced by name") {
  for (const OperationRow& row : operation_table()) {
    for (Algorithm algorithm : row.algorithms) {
      const std::string text = std::string(row.name) + "=" + algorithm_name(algorithm);
      INFO(text);
      Result<ForcedAlgorithms> forced = parse_forced(text);
      REQUIRE(forced);
      Question question{row.operation, 5, 1000};
      question.node_capacity = 5000;
      CHECK(select(question, *forced) == algorithm);
    }
    CHECK(row.algorithms.front() == Algorithm::linear);
  }
}

TEST_CASE("several algorithms are forced at once, and empty items do no harm") {
  Result<ForcedAlgorithms> forced = parse_forced("allreduce=ring,bcast=linear,");
  REQUIRE(forced);
  CHECK(select({Operation::allreduce, 4, 8, true}, *forced) == Algorithm::ring);
  CHECK(select({Operation::bcast, 4, 1 << 20, true}, *forced) == Algorithm::linear);
  CHECK(select({Operation::barrier, 4, 0, true}, *forced) == Algorithm::dissemination);
  REQUIRE(parse_forced(""));
}

TEST_CASE("an unknown operation or algorithm is refused with the known names") {
  CHECK(parse_error("allreduc=ring").find("allreduc\"") != std::string::npos);
  CHECK(parse_error("allreduc=ring").find("allgatherv, alltoall") != std::string::npos);
  CHECK(parse_error("allreduce=fast").find("\"fast\"; known are linear, tree, allgather_reduce") != std::string::npos);
  CHECK(parse_error("bcast=linear,allreduce").find("allreduce has no algorithm \"\"") != std::string::npos);
  CHECK(parse_error("=").find("no operation") != std::string::npos);
}

TEST_CASE("a forced algorithm that is not legal for the call gives way to the linear reference") {
  for (const char* text : {"allreduce=ring", "allreduce=circulant"}) {
    Result<ForcedAlgorithms> forced = parse_forced(text);
    REQUIRE(forced);
    CHECK(select({Operation::allreduce, 4, 1 << 20, false}, *forced) == Algorithm::linear);
  }
}

TEST_CASE("what fits a slot of the node goes through it, unless the type has gaps or another algorithm is forced") {
  Question question{Operation::allreduce, 4, 1024};
  question.node_capacity = 4096;
  const ForcedAlgorithms none{};
  CHECK(select(question, none) == Algorithm::node);
  question.bytes = 4097;
  CHECK(select(question, none) != Algorithm::node);
  question.bytes = 1024;
  question.plain = false;
  CHECK(select(question, none) != Algorithm::node);
  question.operation = Operation::alltoall;  // all blocks of a rank have to fit
  question.plain = true;
  CHECK(select(question, none) == Algorithm::node);
  question.ranks = 5;
  CHECK(select(question, none) != Algorithm::node);
  Result<ForcedAlgorithms> forced = parse_forced("allreduce=node,barrier=linear");
  REQUIRE(forced);
  question.operation = Operation::barrier;
  CHECK(select(question, *forced) == Algorithm::linear);
  CHECK(select({Operation::allreduce, 4, 8}, *forced) == Algorithm::linear);  // forced, but there are no slots
}

TEST_CASE("no operation takes an algorithm that reorders an op which does not commute") {
  const ForcedAlgorithms none{};
  for (const OperationRow& row : operation_table()) {
    if (row.operation < Operation::reduce) continue;
    for (int ranks = 2; ranks <= 64; ++ranks) {
      for (Count bytes = 1; bytes < Count{1} << 34; bytes *= 3) {
        for (bool share_cores : {false, true}) {
          Question question{row.operation, ranks, bytes, false};
          question.share_cores = share_cores;
          const Algorithm algorithm = select(question, none);
          REQUIRE(algorithm != Algorithm::ring);
          REQUIRE(algorithm != Algorithm::circulant);
          REQUIRE(algorithm != Algorithm::reduce_scatter_gather);
        }
      }
    }
  }
}
