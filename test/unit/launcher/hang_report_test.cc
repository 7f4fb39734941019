// SPDX-License-Identifier: BSD-3-Clause
// The words of a report.
#include "launcher/hang_report.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "launcher/sight_message.h"

namespace ompi_lite::launcher {
namespace {

using flight::Phase;
using flight::SeenCall;
using flight::Shape;

constexpr std::int64_t kSecond = 1'000'000'000, kNow = 100 * kSecond;

SeenCall allreduce(std::uint32_t sequence) {
  SeenCall call;
  call.number = sequence;
  call.phase = Phase::inside;
  call.began_ns = kNow - 31 * kSecond;
  call.context = 2;
  call.count = 100;
  call.sequence = sequence;
  call.shape = Shape::collective;
  call.function = "MPI_Allreduce";
  call.type = "MPI_DOUBLE";
  call.op = "MPI_SUM";
  return call;
}

SeenCall receive(int source) {
  SeenCall call;
  call.number = 1;
  call.phase = Phase::inside;
  call.began_ns = kNow - 31 * kSecond;
  call.context = 2;
  call.count = 1;
  call.peer = source;
  call.tag = 5;
  call.shape = Shape::receive;
  call.function = "MPI_Recv";
  call.type = "MPI_INT";
  return call;
}

RankSight rank_in(int rank, int size, const SeenCall& call) {
  RankSight sight;
  sight.stage = RankStage::active;
  sight.record.emplace();
  sight.record->newest.push_back(call);
  sight.record->communicators.push_back({2, size, rank, 0, "MPI_COMM_WORLD"});
  return sight;
}

std::string all_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST_CASE("ranks at one place stand in one line, the odd one in its own", "[launcher][hang]") {
  std::vector<RankSight> ranks;
  for (int rank = 0; rank < 8; ++rank) ranks.push_back(rank_in(rank, 8, rank == 1 ? receive(3) : allreduce(51)));
  CHECK(all_of(report_lines(ranks, kNow)) ==
        "ranks 0, 2-7 in MPI_Allreduce #51 of MPI_COMM_WORLD (100 x MPI_DOUBLE, MPI_SUM) since 31 s\n"
        "rank 1 in MPI_Recv of MPI_COMM_WORLD (source 3, tag 5, 1 x MPI_INT) since 31 s\n"
        "rank 1 is not in MPI_Allreduce #51 of MPI_COMM_WORLD, where 7 of 8 wait\n"
        "a cycle: rank 1 waits for rank 3 waits for rank 1\n");
}

TEST_CASE("a cycle of receives is named, a chain is none", "[launcher][hang]") {
  std::vector<RankSight> ranks{rank_in(0, 3, receive(1)), rank_in(1, 3, receive(2)), rank_in(2, 3, receive(0))};
  CHECK(report_lines(ranks, kNow).back() == "a cycle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0");
  ranks[2] = rank_in(2, 3, receive(-1));
  CHECK(all_of(report_lines(ranks, kNow)).find("cycle") == std::string::npos);
  CHECK(report_lines(ranks, kNow).back().find("source MPI_ANY_SOURCE") != std::string::npos);
}

TEST_CASE("a rank that waits for itself is a cycle", "[launcher][hang]") {
  CHECK(report_lines({rank_in(0, 1, receive(0))}, kNow).back() == "rank 0 waits for itself");
}

TEST_CASE("the peers of an intercommunicator are those of the other side", "[launcher][hang]") {
  std::vector<RankSight> ranks{rank_in(0, 1, receive(0)), rank_in(0, 1, receive(0))};
  ranks[0].record->communicators[0].side = 1;
  ranks[1].record->communicators[0].side = 2;
  CHECK(report_lines(ranks, kNow).back() == "a cycle: rank 0 waits for rank 1 waits for rank 0");
}

TEST_CASE("a rank outside of MPI is said to be there, with its last call", "[launcher][hang]") {
  SeenCall left = allreduce(50);
  left.phase = Phase::outside;
  left.left_ns = kNow - 5 * kSecond;
  std::vector<RankSight> ranks{rank_in(0, 2, allreduce(51)), rank_in(1, 2, left)};
  const std::string text = all_of(report_lines(ranks, kNow));
  CHECK(text.find(
            "rank 1 outside of MPI, after MPI_Allreduce #50 of MPI_COMM_WORLD (100 x MPI_DOUBLE, MPI_SUM) since 5.0 s") !=
        std::string::npos);
  CHECK(text.find("rank 1 is not in MPI_Allreduce #51") != std::string::npos);
  CHECK(last_call_text(ranks[1]) == "after MPI_Allreduce #50 of MPI_COMM_WORLD (100 x MPI_DOUBLE, MPI_SUM)");
  CHECK(last_call_text(ranks[0]) == "in MPI_Allreduce #51 of MPI_COMM_WORLD (100 x MPI_DOUBLE, MPI_SUM)");
}

TEST_CASE("different calls under one number are told apart", "[launcher][hang]") {
  SeenCall other = allreduce(51);
  other.function = "MPI_Bcast";
  other.op.clear();
  std::vector<RankSight> ranks{rank_in(0, 3, allreduce(51)), rank_in(1, 3, other), rank_in(2, 3, allreduce(51))};
  const std::string text = all_of(report_lines(ranks, kNow));
  CHECK(text.find("rank 1 is in MPI_Bcast where ranks 0, 2 are in MPI_Allreduce (collective call #51 of MPI_COMM_WORLD)") !=
        std::string::npos);
}

TEST_CASE("a job of thousands of ranks has a report of some dozens of lines", "[launcher][hang]") {
  std::vector<RankSight> ranks;
  for (int rank = 0; rank < 2000; ++rank) ranks.push_back(rank_in(rank, 2000, receive(rank % 2 ? rank - 1 : rank + 1)));
  CHECK(report_lines(ranks, kNow).size() < 60);
  std::vector<int> odd;
  for (int rank = 1; rank < 2000; rank += 2) odd.push_back(rank);
  CHECK(rank_list(odd).size() < 120);
  CHECK(rank_list({0, 1, 2, 5, 6, 9}) == "0-2, 5, 6, 9");
}

TEST_CASE("ranks that have not come or keep no record are said to be so", "[launcher][hang]") {
  std::vector<RankSight> ranks(3);
  ranks[1].stage = RankStage::active;
  ranks[2].stage = RankStage::finalized;
  CHECK(all_of(report_lines(ranks, kNow)) ==
        "rank 0 before MPI_Init\nrank 1 in MPI, but without a flight record\nrank 2 after MPI_Finalize\n");
}

TEST_CASE("sights of another host mean the same here, in times of our clock", "[launcher]") {
  SeenCall waiting = receive(3);
  waiting.waits.emplace().word = "MPI_Irecv";
  RankSight sight;
  sight.stage = RankStage::active;
  sight.record.emplace();
  sight.record->newest = {allreduce(51), waiting};
  sight.record->communicators.resize(1);
  sight.record->communicators[0].name = "halves";
  sight.record->idle_since_ns = kNow - kSecond;
  const std::string body = encode_sights({2, 5}, {sight, RankSight{}}, kNow);
  std::vector<int> ranks;
  std::vector<RankSight> got;
  REQUIRE(decode_sights(body, kNow + 7, ranks, got));
  CHECK(ranks == std::vector<int>{2, 5});
  REQUIRE(got.size() == 2);
  CHECK(got[0].stage == RankStage::active);
  REQUIRE(got[0].record);
  CHECK(got[0].record->newest[0].began_ns == waiting.began_ns + 7);
  CHECK(got[0].record->newest[0].left_ns == 0);
  CHECK(got[0].record->newest[1].waits->word == "MPI_Irecv");
  CHECK(got[0].record->communicators[0].name == "halves");
  CHECK(got[0].record->idle_since_ns == kNow - kSecond + 7);
  CHECK(place_of(got[0], kNow + 7) == place_of(sight, kNow));
  CHECK_FALSE(got[1].record);
  for (std::size_t length = 0; length < body.size(); ++length) {
    CHECK_FALSE(decode_sights(std::string_view(body).substr(0, length), kNow, ranks, got));
  }
}

}  // namespace
}  // namespace ompi_lite::launcher
