// SPDX-License-Identifier: BSD-3-Clause
// Collectives over several hosts, played in one thread.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "coll/algorithms/over_hosts_blocks.h"
#include "coll/host_map.h"
#include "coll/select.h"
#include "test/unit/coll/trials.h"

namespace ompi_lite::coll {
namespace {

using Names = std::vector<int>;

std::string text_of(const Names& names) {
  std::string text;
  for (const int name : names) text += static_cast<char>('a' + name);
  return text;
}

// Hosts of these sizes: filled one after the other, dealt out in turns, from the back.
std::vector<Names> mappings(const std::vector<int>& sizes) {
  Names filled, dealt;
  for (int host = 0; host < static_cast<int>(sizes.size()); ++host)
    filled.insert(filled.end(), static_cast<std::size_t>(sizes[static_cast<std::size_t>(host)]), host);
  std::vector<int> left = sizes;
  while (dealt.size() < filled.size()) {
    for (std::size_t host = 0; host < left.size(); ++host) {
      if (left[host] > 0) dealt.push_back(static_cast<int>(host));
      if (left[host] > 0) --left[host];
    }
  }
  return {filled, dealt, Names(dealt.rbegin(), dealt.rend())};
}

const std::vector<std::vector<int>> kSizes = {
    {1, 1}, {2, 1},    {2, 2},          {1, 3},    {3, 2, 1}, {4, 4},   {2, 2, 2, 2},
    {5, 3}, {3, 3, 3}, {4, 1, 2, 4, 2}, {8, 8, 7}, {20, 3},   {17, 17}, {1, 1, 1, 1, 1, 1, 1}};

template <Operation operation, int number = 20>
Trial trial_on(const HostMap& map, const Shape& shape, Count lanes) {
  return make_trial<operation>(shape, [&](Recorder& steps, CallOf<operation> call) {
    steps.place_on(map);
    call.parameter = lanes;
    AlgorithmOf<operation, number>::run(steps, call);
  });
}

template <Operation operation, int number = 20>
void play_all() {
  for (const std::vector<int>& sizes : kSizes) {
    for (const Names& names : mappings(sizes)) {
      const HostMap map(names);
      const int p = map.ranks();
      for (Count lanes : {1, 2, 3, 8}) {
        for (Count count : {Count{0}, Count{1}, Count{p}, Count{13}, Count{64}}) {
          for (int root : {0, p / 2, p - 1}) {
            for (bool in_place : {false, true}) {
              if (operation == Operation::barrier && (count > 0 || root > 0 || in_place)) continue;
              constexpr bool rooted = operation == Operation::bcast || operation == Operation::reduce;
              if (operation < Operation::reduce && in_place) continue;
              if (!rooted && root > 0) continue;
              INFO(text_of(names) << " lanes " << lanes << " count " << count << " root " << root
                                  << (in_place ? " in place" : ""));
              REQUIRE(trial_on<operation, number>(map, {p, root, count, in_place, true}, lanes).play() == "");
            }
          }
        }
      }
    }
  }
}

// Bytes that go from host to host.
template <Operation operation>
Count cells_across(const HostMap& map, Count count, Count lanes) {
  const Trial trial = trial_on<operation>(map, {map.ranks(), 0, count, false, true}, lanes);
  Count cells = 0;
  for (int rank = 0; rank < map.ranks(); ++rank)
    for (const RecordedStep& step : trial.job[rank].steps)
      if (step.kind == RecordedStep::Kind::send && map.host(rank) != map.host(step.peer)) cells += step.a.count;
  return cells;
}

TEST_CASE("a map of hosts numbers hosts and places in the order of ranks", "[hosts]") {
  const HostMap map(Names{7, -2, 7, 7, -2, 0});
  CHECK(map.hosts() == 3);
  CHECK(map.least() == 1);
  CHECK(map.size(0) == 3);
  CHECK(map.host(1) == 1);
  CHECK(map.host(5) == 2);
  CHECK(map.place(4) == 1);
  CHECK(map.member(0, 2) == 3);
}

TEST_CASE("collectives over hosts are right for any mapping and uneven hosts", "[hosts]") {
  play_all<Operation::allreduce>();
  play_all<Operation::allreduce, 21>();
  play_all<Operation::reduce>();
  play_all<Operation::bcast>();
  play_all<Operation::barrier>();
}

TEST_CASE("collectives of blocks over hosts are right for any mapping and uneven hosts", "[hosts]") {
  play_all<Operation::allgather>();
  play_all<Operation::allgatherv>();
  play_all<Operation::alltoall>();
  play_all<Operation::reduce_scatter>();
  play_all<Operation::reduce_scatter_block>();
}

template <Operation operation>
void break_all() {
  for (const Names& names : {Names{0, 0, 1, 1}, Names{0, 1, 0, 1, 0}, Names{0, 1, 2, 2, 1, 0, 0}}) {
    const HostMap map(names);
    for (Count lanes : {1, 2}) {
      const Trial trial = trial_on<operation>(map, {map.ranks(), 0, 7, false, true}, lanes);
      Job whole = trial.job;
      REQUIRE(trial.play(whole) == "");
      for (int rank = 0; rank < map.ranks(); ++rank) {
        for (std::size_t i = 0; i < trial.job[rank].steps.size(); ++i) {
          const RecordedStep& step = trial.job[rank].steps[i];
          if (step.kind == RecordedStep::Kind::end_round || step.a.count == 0) continue;
          INFO(text_of(names) << " lanes " << lanes << " rank " << rank << " step " << i);
          Job broken = trial.job;
          broken[rank].steps.erase(broken[rank].steps.begin() + static_cast<std::ptrdiff_t>(i));
          CHECK(trial.play(broken) != "");
          if (step.kind != RecordedStep::Kind::send && step.kind != RecordedStep::Kind::recv) continue;
          broken = trial.job;
          int& peer = broken[rank].steps[i].peer;
          peer = (peer + 1) % map.ranks();
          CHECK(trial.play(broken) != "");
        }
      }
    }
  }
}

TEST_CASE("a step that is left out or has the wrong peer shows", "[hosts]") {
  break_all<Operation::allgather>();
  break_all<Operation::alltoall>();
  break_all<Operation::reduce_scatter_block>();
  break_all<Operation::allreduce>();
  break_all<Operation::reduce>();
  break_all<Operation::bcast>();
}

TEST_CASE("what passes between hosts is the least there is, whatever the lanes", "[hosts]") {
  for (const Names& names : mappings({4, 4})) {
    const HostMap map(names);
    for (Count lanes : {1, 2, 4}) {
      CHECK(cells_across<Operation::allreduce>(map, 64, lanes) == 2 * 64);
      CHECK(cells_across<Operation::reduce>(map, 64, lanes) == 64);
      CHECK(cells_across<Operation::bcast>(map, 64, lanes) == 64);
      CHECK(cells_across<Operation::allgather>(map, 64, lanes) == 8 * 64);
      CHECK(cells_across<Operation::alltoall>(map, 64, lanes) == 2 * 16 * 64);
      CHECK(cells_across<Operation::reduce_scatter_block>(map, 64, lanes) == 8 * 64);
    }
  }
}

TEST_CASE("over hosts with several ranks each, selection takes the form for hosts", "[hosts]") {
  const auto chosen = [](Operation operation, Count bytes, int ranks, int hosts, int least, bool commutative = true) {
    Question question{operation, ranks, bytes, commutative};
    question.hosts = hosts;
    question.least_on_host = least;
    return choice_text(operation, select(question, {}));
  };
  for (const Operation operation : {Operation::allreduce, Operation::reduce, Operation::bcast}) {
    INFO(static_cast<int>(operation));
    CHECK(chosen(operation, 8, 8, 2, 4).starts_with("hosts"));
    CHECK(chosen(operation, 4096, 8, 2, 4).starts_with("hosts"));
    CHECK(chosen(operation, 4 << 20, 8, 2, 4).starts_with("hosts"));
    CHECK_FALSE(chosen(operation, 8, 8, 8, 1).starts_with("hosts"));
    CHECK_FALSE(chosen(operation, 8, 8, 1, 1).starts_with("hosts"));
  }
  CHECK(chosen(Operation::barrier, 0, 8, 2, 4) == "hosts");
  CHECK(chosen(Operation::allreduce, 4 << 20, 8, 2, 4) == "hosts:4");
  CHECK(chosen(Operation::allreduce, 8, 8, 2, 4) == "hosts_each");
  CHECK_FALSE(chosen(Operation::allreduce, 8, 8, 2, 4, false).starts_with("hosts"));
}

}  // namespace
}  // namespace ompi_lite::coll
