// SPDX-License-Identifier: BSD-3-Clause
// How a communicator comes to its choices: the table, the trials of two ways, and the numbers behind both.
#include <catch2/catch.hpp>
#include <limits>

#include "coll/choice_table.h"
#include "coll/model.h"
#include "coll/trials.h"

namespace ompi_lite::coll {
namespace {

MachineNumbers numbers_with(Number number, double value) {
  MachineNumbers numbers;
  numbers.set(number, value);
  return numbers;
}

using Ways = coll::Trial;  // of two ways
// Plays the calls of a trial: how long each takes is said by time(way, call).
template <class Time>
int settled_way(Ways trial, Time&& time) {
  Ways::Times times{};
  for (int call = 0; !trial.done(); ++call) {
    const int way = trial.way();
    trial.begin();
    trial.end();
    const int uncounted = Ways::kWarmUp[0] + Ways::kWarmUp[1];
    if (call >= uncounted)
      times[static_cast<std::size_t>((call - uncounted) / Ways::kCalls)] += time(way, call) / Ways::kCalls;
  }
  trial.settle(times);
  CHECK(trial.settled());
  return trial.way();
}

}  // namespace

TEST_CASE("a size class of the table holds the sizes that are rounded alike") {
  for (Count bytes = 0; bytes < 100'000; ++bytes) {
    const bool same_class = ChoiceTable::class_of(bytes) == ChoiceTable::class_of(bytes + 1);
    REQUIRE(same_class == (rounded_bytes(bytes) == rounded_bytes(bytes + 1)));
  }
  CHECK(ChoiceTable::class_of(std::numeric_limits<Count>::max()) < 255);
}

TEST_CASE("the table asks once for each kind of call and gives the same answer ever after") {
  ChoiceTable table;
  int asked = 0;
  for (int turn = 0; turn < 3; ++turn) {
    for (const OperationRow& row : operation_table()) {
      for (const Count bytes : {0, 8, 1000, 1 << 20}) {
        for (int flags = 0; flags < 8; ++flags) {
          Question question{row.operation, 5, bytes, (flags & 1) != 0, true, (flags & 2) != 0};
          const Choice choice = table.find(question, (flags & 4) != 0, [&] {
            ++asked;
            return turn == 0 ? select_messages(question, {}) : Choice{31, 0};
          });
          REQUIRE(choice == select_messages(question, {}));
        }
      }
    }
  }
  CHECK(asked == 22 * 4 * 8);
}

TEST_CASE("ranks that know the same numbers choose alike, and the numbers count") {
  Question question{Operation::bcast, 16, 64 << 10};
  question.one_node = true;
  const MachineNumbers near = numbers_with(Number::line, 50e-9), far = numbers_with(Number::line, 20e-6);
  CHECK(select(question, {}, near) == select(question, {}, near));
  CHECK(choice_text(question.operation, select(question, {}, near)) !=
        choice_text(question.operation, select(question, {}, far)));
  Question large{Operation::bcast, 4, 1 << 20};
  large.one_node = large.cells = true;
  CHECK(select(large, {}, numbers_with(Number::fetch, 1e-12)).cells());
  CHECK_FALSE(select(large, {}, numbers_with(Number::fetch, 10e-9)).cells());
}

TEST_CASE("predicted times grow with the data and with what the machine needs for them") {
  for (const OperationRow& row : operation_table()) {
    for (const AlgorithmRow& algorithm : row.algorithms) {
      for (const int ranks : {2, 5, 8}) {
        double before = 0;
        for (Count bytes = 1024; bytes <= Count{16} << 20; bytes *= 4) {
          Question question{row.operation, ranks, bytes};
          question.one_node = true;
          question.share_cores = ranks > 2;
          const Cost cost = algorithm.cost(question, algorithm.usual(question));
          const double time = predicted_time(question, cost);
          INFO(row.name << "=" << algorithm.name << " " << ranks << " ranks " << bytes);
          CHECK(time >= 0);  // 0: of neighborhoods nothing is known
          CHECK(time >= before * 0.999);
          before = time;
          MachineNumbers slow;
          for (std::size_t i = 0; i < kNumbers; ++i) slow.set(static_cast<Number>(i), number_infos()[i].preset * 2);
          CHECK(predicted_time(question, cost, slow) == Approx(2 * time));
        }
      }
    }
  }
}

TEST_CASE("a trial takes the faster way, also across a slow spell, and the expected one where both are alike") {
  for (int faster = 0; faster < 2; ++faster) {
    for (int expected = 0; expected < 2; ++expected) {
      const Ways trial(1, {expected, false});
      const auto plain = [&](int way, int) { return way == faster ? 1.0 : 1.3; };
      CHECK(settled_way(trial, plain) == faster);
      CHECK(settled_way(trial, [](int, int) { return 1.0; }) == expected);
      for (int first = 0; first < 60; ++first) {  // a spell of some calls during which all takes six times as long
        const int way = settled_way(
            trial, [&](int w, int call) { return plain(w, call) * (call >= first && call < first + 12 ? 6 : 1); });
        REQUIRE(way == faster);
      }
    }
  }
  CHECK(Ways(1, {1, true}).settled());
  CHECK(Ways(1, {1, true}).way() == 1);
}

}  // namespace ompi_lite::coll
