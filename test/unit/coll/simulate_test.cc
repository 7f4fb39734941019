// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm of the table for every p up to 64 and some beyond, on symbolic data: each value where it belongs, in rank
// order where that is promised, the same parentheses at all ranks, no deadlock without buffering.
#include "coll/simulate.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <type_traits>

#include "coll/dispatch.h"
#include "test/unit/coll/trials.h"

using namespace ompi_lite;
using namespace ompi_lite::coll;

namespace {

// An algorithm of the table as the tests see it.
struct Candidate {
  Operation operation;
  const AlgorithmRow* row;
  Trial (*make)(const Shape& shape, Count parameter);
  std::string name(Count parameter) const {
    return std::string(mpi_name(operation)) + " by " + choice_text(operation, {row->number, parameter});
  }
};

template <Operation operation, class A>
Trial trial_of(const Shape& shape, Count parameter) {
  return make_trial<operation>(shape, [&](Recorder& steps, CallOf<operation> call) {
    call.parameter = parameter;
    A::run(steps, call);
  });
}

template <Operation operation>
void add_candidates(std::vector<Candidate>& list) {
  for_each_algorithm<operation>([&]<class A>(int number) {
    list.push_back({operation, algorithm_row(operation, number), &trial_of<operation, A>});
  });
}

// All but the neighborhood forms, which have a test of their own.
const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> list = [] {
    std::vector<Candidate> all;
    [&]<int... i>(std::integer_sequence<int, i...>) {
      const auto add = [&]<Operation operation>(std::integral_constant<Operation, operation>) {
        if constexpr (!std::is_same_v<CallOf<operation>, NeighborCall>) add_candidates<operation>(all);
      };
      (add(std::integral_constant<Operation, static_cast<Operation>(i)>()), ...);
    }
    (std::make_integer_sequence<int, kOperations>());
    return all;
  }();
  return list;
}

std::vector<Count> parameters_of(const Candidate& candidate) {
  const ParameterRange& range = candidate.row->parameter;
  if (range.name == nullptr) return {0};
  if (range.most > 1000) return {1, 3, 1000};
  std::vector<Count> some;
  for (Count each : {range.least, range.least + 1, Count{5}, range.most}) {
    if (each <= range.most) some.push_back(each);
  }
  return some;
}

std::vector<int> roots_for(Operation operation, int p) {
  const bool rooted = operation == Operation::reduce || (operation >= Operation::bcast && operation <= Operation::scatterv);
  if (!rooted || p == 1) return {0};
  if (p > 17) return {p % 2 == 0 ? 0 : p / 3, p - 1};
  if (p > 9) return {0, p / 3, p - 1};
  std::vector<int> roots(static_cast<std::size_t>(p));
  std::iota(roots.begin(), roots.end(), 0);
  return roots;
}

std::vector<Count> counts_for(const Candidate& candidate, int p) {
  const bool vector = candidate.operation == Operation::bcast || candidate.operation == Operation::reduce ||
                      candidate.operation == Operation::allreduce || candidate.operation >= Operation::scan;
  if (candidate.operation == Operation::barrier) return {0};
  if (!vector) return p <= 16 ? std::vector<Count>{0, 1, 2} : std::vector<Count>{1};
  if (p <= 9) return {0, 1, p - 1, p, p + 1, 13};
  if (p <= 17) return {1, p - 1, p, p + 1, 53};
  return {p - 1, p + 1};
}

// Whether the call is one that the algorithm may be given; then it is played. "" or what went wrong.
std::string play(const Candidate& candidate, const Shape& shape, Count parameter) {
  Question question{candidate.operation, shape.p, shape.count, shape.commutative};
  if (!candidate.row->legal(question, parameter)) return {};
  const std::string error = candidate.make(shape, parameter).play();
  if (error.empty()) return {};
  return candidate.name(parameter) + ", p " + std::to_string(shape.p) + " root " + std::to_string(shape.root) + " count " +
         std::to_string(shape.count) + (shape.in_place ? " in place" : "") + (shape.commutative ? " commutative" : "") +
         ": " + error;
}

std::string play_all_shapes(const Candidate& candidate, int p, Count parameter) {
  const bool reduces = candidate.operation >= Operation::reduce;
  for (int root : roots_for(candidate.operation, p)) {
    for (Count count : counts_for(candidate, p)) {
      for (bool in_place : {false, true}) {
        for (bool commutative : {false, true}) {
          if (!reduces && (in_place || commutative)) continue;
          if (p > 17 && in_place != commutative) continue;
          std::string error = play(candidate, {p, root, count, in_place, commutative}, parameter);
          if (!error.empty()) return error;
        }
      }
    }
  }
  return {};
}

}  // namespace

TEST_CASE("every algorithm is right for every number of ranks up to 64") {
  for (const Candidate& candidate : candidates()) {
    for (int p = 1; p <= 64; ++p) {
      // Among many ranks one parameter at a time: they take turns.
      const std::vector<Count> parameters = parameters_of(candidate);
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (p > 17 && static_cast<std::size_t>(p) % parameters.size() != i) continue;
        REQUIRE(play_all_shapes(candidate, p, parameters[i]) == "");
      }
    }
  }
}

TEST_CASE("algorithms are right for some numbers of ranks up to 1000") {
  constexpr double kMostMessages = 10000;  // what the test has time for
  for (const Candidate& candidate : candidates()) {
    for (int p : {65, 96, 127, 128, 129, 243, 257, 625, 1000}) {
      for (Count parameter : parameters_of(candidate)) {
        const Shape shape{p, p / 3, candidate.operation == Operation::barrier ? 0 : p < 200 ? 3 : 1, false, true};
        const Question question{candidate.operation, p, shape.count, true};
        const Cost cost = candidate.row->cost(question, parameter);
        if (cost.all_messages > kMostMessages || cost.all_bytes > 10 * kMostMessages) continue;
        REQUIRE(play(candidate, shape, parameter) == "");
      }
    }
  }
}

TEST_CASE("the cost that an algorithm states is what the simulator counts") {
  for (const Candidate& candidate : candidates()) {
    if (uneven_blocks(candidate.operation)) continue;  // stated for blocks of equal size
    for (int p : {2, 3, 4, 7, 8, 13, 16, 31}) {
      for (Count parameter : parameters_of(candidate)) {
        const bool blocks = candidate.operation >= Operation::gather && candidate.operation <= Operation::alltoallw;
        Shape shape{p, 0, blocks ? 4 : candidate.operation == Operation::barrier ? 0 : 4 * p, false, true};
        Question question{candidate.operation, p, shape.count, true};
        if (candidate.operation == Operation::reduce_scatter_block) shape.count = 4;  // the question is about the vector
        if (!candidate.row->legal(question, parameter)) continue;
        SimulatedCost counted;
        REQUIRE(candidate.make(shape, parameter).play(&counted) == "");
        const Cost stated = candidate.row->cost(question, parameter);
        INFO(candidate.name(parameter) << " p " << p << ": stated rounds " << stated.rounds << " messages "
                                       << stated.messages << " all " << stated.all_messages << " bytes " << stated.all_bytes
                                       << " handled " << stated.all_handled << "; counted rounds " << counted.chain
                                       << " messages " << counted.touched << " all " << counted.all_messages << " bytes "
                                       << counted.all_cells << " handled " << counted.all_handled);
        // Within a factor, and what a few ranks more or less make out.
        const auto near = [](double said, Count found, double slack) {
          return said <= 2 * static_cast<double>(found) + slack && static_cast<double>(found) <= 2 * said + slack;
        };
        CHECK(near(stated.rounds, counted.chain, 2));
        CHECK(near(stated.messages, counted.touched, 4));
        CHECK(near(stated.all_messages, counted.all_messages, p));
        CHECK(near(stated.all_bytes, counted.all_cells, static_cast<double>(4 * p)));
        CHECK(near(stated.all_handled, counted.all_handled, static_cast<double>(8 * p)));
      }
    }
  }
}

namespace {

// Ways to break a correct run at one step of one rank; false if the step cannot be broken that way.
using Steps_ = std::vector<RecordedStep>;
bool is_message(const RecordedStep& step) {
  return step.kind == RecordedStep::Kind::send || step.kind == RecordedStep::Kind::recv;
}
bool drop(Steps_& steps, std::size_t i, int, int) {
  if (steps[i].kind == RecordedStep::Kind::end_round) return false;  // two rounds may do no harm as one
  if (!is_message(steps[i]) && steps[i].a.count == 0) return false;
  steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
  return true;
}
bool misdirect(Steps_& steps, std::size_t i, int rank, int p) {
  if (!is_message(steps[i])) return false;
  int other = (steps[i].peer + 1) % p;
  if (other == rank) other = (other + 1) % p;
  if (other == steps[i].peer) return false;
  steps[i].peer = other;
  return true;
}
bool shift(Steps_& steps, std::size_t i, int, int) {
  Part& part = steps[i].a;
  if (steps[i].kind == RecordedStep::Kind::end_round || part.count == 0) return false;
  part.offset += part.offset == 0 ? 1 : -1;
  return true;
}
bool shorten(Steps_& steps, std::size_t i, int, int) {
  Part& part = steps[i].a;
  if (steps[i].kind == RecordedStep::Kind::end_round || part.count == 0) return false;
  --part.count;
  return true;
}
// The data of this message and of the next one that goes the same way.
bool swap_parts(Steps_& steps, std::size_t i, int, int) {
  if (!is_message(steps[i])) return false;
  for (std::size_t k = i + 1; k < steps.size(); ++k) {
    if (steps[k].kind != steps[i].kind || steps[k].a == steps[i].a || steps[k].a.count == 0 || steps[i].a.count == 0)
      continue;
    std::swap(steps[i].a, steps[k].a);
    return true;
  }
  return false;
}
// a op b in the other order.
bool turn_round(Steps_& steps, std::size_t i, int, int) {
  if (steps[i].kind != RecordedStep::Kind::reduce_copy) return false;
  std::swap(steps[i].a, steps[i].b);
  return true;
}

struct Mutation {
  const char* name;
  bool (*apply)(Steps_& steps, std::size_t i, int rank, int p);
};
constexpr Mutation kMutations[] = {{"a step is dropped", drop},
                                   {"a message goes to another rank", misdirect},
                                   {"a step is at the wrong place", shift},
                                   {"a step is too short", shorten},
                                   {"two messages carry each other's data", swap_parts},
                                   {"the operands are turned round", turn_round}};

}  // namespace

TEST_CASE("whatever is broken in an algorithm is found out") {
  int tried[std::size(kMutations)] = {};
  for (const Candidate& candidate : candidates()) {
    for (int p : {5, 6}) {
      const Count parameter = parameters_of(candidate).back() > 100 ? 3 : parameters_of(candidate).front();
      const Shape shape{p, 1, 7, false, candidate.row->commutative_only};
      if (!candidate.row->legal({candidate.operation, p, 7, shape.commutative}, parameter)) continue;
      const Trial trial = candidate.make(shape, parameter);
      Job unbroken = trial.job;
      REQUIRE(trial.play(unbroken) == "");
      for (int rank = 0; rank < p; ++rank) {
        for (std::size_t i = 0; i < trial.job[rank].steps.size(); ++i) {
          for (const Mutation& mutation : kMutations) {
            Job broken = trial.job;
            const bool reorders = mutation.apply == turn_round || mutation.apply == swap_parts;
            if (reorders && shape.commutative) continue;
            if (!mutation.apply(broken[rank].steps, i, rank, p)) continue;
            ++tried[&mutation - kMutations];
            INFO(candidate.name(parameter) << ", p " << p << ", rank " << rank << ", step " << i << ": " << mutation.name);
            CHECK(trial.play(broken) != "");
          }
        }
      }
    }
  }
  for (int times : tried) CHECK(times > 50);
}

TEST_CASE("an algorithm that leaves out a round everywhere is found out") {
  for (const Candidate& candidate : candidates()) {
    const int p = 7;
    if (uneven_blocks(candidate.operation)) continue;  // no harm is done where the blocks are empty
    const Count parameter = parameters_of(candidate).back() > 100 ? 3 : parameters_of(candidate).front();
    const Shape shape{p, 1, 9, false, candidate.row->commutative_only};
    if (!candidate.row->legal({candidate.operation, p, 9, shape.commutative}, parameter)) continue;
    const Trial trial = candidate.make(shape, parameter);
    SimulatedCost cost;
    Job unbroken = trial.job;
    REQUIRE(trial.play(unbroken, &cost) == "");
    for (Count dropped = 0; dropped < cost.rounds; ++dropped) {
      Job broken = trial.job;
      for (SimulatedRank& rank : broken.ranks) {
        Count round = 0;
        bool messages = false;
        std::erase_if(rank.steps, [&](const RecordedStep& step) {
          if (is_message(step)) messages = true;
          const bool leave_out = is_message(step) && round == dropped;
          if (step.kind == RecordedStep::Kind::end_round && std::exchange(messages, false)) ++round;
          return leave_out;
        });
      }
      INFO(candidate.name(parameter) << ", round " << dropped);
      CHECK(trial.play(broken) != "");
    }
  }
}
