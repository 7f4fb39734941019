// SPDX-License-Identifier: BSD-3-Clause
// The exit rules.
#include "launcher/verdict.h"

#include <catch2/catch.hpp>

namespace ompi_lite::launcher {
namespace {

RankEnd exited(int rank, int code, bool connected = false, bool ever = false) {
  return {rank, 100 + rank, false, code, connected, ever, {}};
}
RankEnd killed(int rank, int signal) { return {rank, 100 + rank, true, signal, true, true, {}}; }

struct Case {
  Verdict verdict{{"host"}, {0, 0, 0, 0, 0, 0, 0, 0}};
  std::string messages() {
    std::string all;
    for (const std::string& each : verdict.take_messages()) all += each + "\n";
    return all;
  }
};

TEST_CASE("ranks that end well are no news", "[launcher]") {
  Case c;
  c.verdict.connected(0);
  c.verdict.ended(exited(0, 0, false, true));
  c.verdict.ended(exited(1, 0, false, true));
  CHECK_FALSE(c.verdict.must_end_job());
  CHECK(c.verdict.exit_code() == 0);
  CHECK(c.messages().empty());
}

TEST_CASE("the first failure decides, later ones are consequences", "[launcher]") {
  Case c;
  c.verdict.ended(exited(1, 3, true, true));
  c.verdict.ended(killed(0, 15));
  CHECK(c.verdict.must_end_job());
  CHECK(c.verdict.exit_code() == 3);
  CHECK(c.messages() == "rank 1 (host host, pid 101) exited with code 3 without MPI_Finalize\n");
}

TEST_CASE("a signal gives 128 and its number", "[launcher]") {
  Case c;
  c.verdict.ended(killed(2, 9));
  CHECK(c.verdict.exit_code() == 137);
  CHECK(c.messages() == "rank 2 (host host, pid 102) was killed by signal 9 (Killed)\n");
}

TEST_CASE("leaving without MPI_Finalize is a failure even with code 0", "[launcher]") {
  Case c;
  c.verdict.ended(exited(0, 0, true, true));
  CHECK(c.verdict.must_end_job());
  CHECK(c.verdict.exit_code() == 1);
}

TEST_CASE("a code after MPI_Finalize counts but ends nobody else", "[launcher]") {
  Case c;
  c.verdict.ended(exited(0, 4, false, true));
  CHECK_FALSE(c.verdict.must_end_job());
  CHECK(c.verdict.exit_code() == 4);
}

TEST_CASE("a rank that never calls MPI_Init ends a job in which others did, in either order", "[launcher]") {
  Case before;
  before.verdict.ended(exited(1, 0));
  CHECK_FALSE(before.verdict.must_end_job());
  before.verdict.connected(0);
  CHECK(before.verdict.must_end_job());
  CHECK(before.messages().find("rank 1") != std::string::npos);
  Case after;
  after.verdict.connected(0);
  after.verdict.ended(exited(1, 0));
  CHECK(after.verdict.must_end_job());
  CHECK(after.verdict.exit_code() == 1);
}

TEST_CASE("MPI_Abort never looks like success", "[launcher]") {
  for (const int code : {0, 256, -256, 7, 300, -1}) {
    Case c;
    c.verdict.aborted(1, 101, code, "");
    CHECK(c.verdict.exit_code() == ((code & 255) == 0 ? 1 : code & 255));
    CHECK(c.messages() == "rank 1 (host host, pid 101) ended the job with code " + std::to_string(code) + "\n");
  }
}

TEST_CASE("our own reasons come with our own codes", "[launcher]") {
  Case c;
  c.verdict.end_job(124, "late");
  c.verdict.end_job(130, "interrupted");
  CHECK(c.verdict.exit_code() == 124);
  CHECK(c.messages() == "late\n");
}

}  // namespace
}  // namespace ompi_lite::launcher
