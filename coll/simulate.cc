// SPDX-License-Identifier: BSD-3-Clause
// Plays recorded collectives on symbolic data.
#include "coll/simulate.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <span>

namespace ompi_lite::coll {

namespace {

std::uint64_t mix(std::uint64_t left, std::uint64_t right) {
  std::uint64_t x = left * 0x9e3779b97f4a7c15u + right;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

// Which ranks someone has heard of, at first or second hand.
using Heard = std::vector<std::uint64_t>;
void add_to(Heard& heard, const Heard& more) {
  for (std::size_t i = 0; i < heard.size(); ++i) heard[i] |= more[i];
}
int number_of(const Heard& heard) {
  int sum = 0;
  for (std::uint64_t word : heard) sum += std::popcount(word);
  return sum;
}

struct Posted {
  int rank;
  std::size_t step;
  bool done = false;
  Count chain = 0;  // sends: messages that led to this one, itself included; receives: of what came
  Heard heard;
};

// What is under way in a cell of a rank.
struct Marks {
  bool reading = false, writing = false;
};

class Player {
 public:
  explicit Player(std::vector<SimulatedRank>& ranks, SimulatedCost* cost)
      : ranks_(ranks), cost_(cost), state_(ranks.size()) {
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      state_[r].heard.resize(ranks.size() / 64 + 1);
      state_[r].heard[r / 64] = std::uint64_t{1} << r % 64;
      state_[r].marks[0].resize(ranks[r].send.size());
      state_[r].marks[1].resize(ranks[r].receive.size());
      state_[r].marks[2].resize(ranks[r].scratch.size());
    }
  }

  std::string run() {
    bool moved = true;
    while (moved && error_.empty()) {
      moved = false;
      for (std::size_t r = 0; r < ranks_.size() && error_.empty(); ++r) moved |= advance(static_cast<int>(r));
    }
    if (!error_.empty()) return error_;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      if (state_[r].at < ranks_[r].steps.size()) return say(static_cast<int>(r), "waits for ever");
      if (!state_[r].posted.empty()) return say(static_cast<int>(r), "ends inside a round");
    }
    if (cost_ != nullptr) count();
    return {};
  }

 private:
  struct RankState {
    std::size_t at = 0;
    std::deque<Posted> posted;  // of the current round; addresses stay
    std::vector<Marks> marks[3];
    Count rounds = 0, messages = 0, touched = 0, cells = 0, handled = 0, chain = 0;
    Heard heard;
  };

  void count() {
    cost_->least_heard = static_cast<int>(ranks_.size());
    for (const RankState& state : state_) {
      cost_->rounds = std::max(cost_->rounds, state.rounds);
      cost_->messages = std::max(cost_->messages, state.messages);
      cost_->touched = std::max(cost_->touched, state.touched);
      cost_->cells_sent = std::max(cost_->cells_sent, state.cells);
      cost_->chain = std::max(cost_->chain, state.chain);
      cost_->all_messages += state.messages;
      cost_->all_cells += state.cells;
      cost_->all_handled += state.handled;
      cost_->least_heard = std::min(cost_->least_heard, number_of(state.heard));
    }
  }

  std::string say(int rank, const std::string& what) const {
    return "rank " + std::to_string(rank) + " of " + std::to_string(ranks_.size()) + ", step " +
           std::to_string(state_[static_cast<std::size_t>(rank)].at) + ": " + what;
  }
  void fail(int rank, const std::string& what) {
    if (error_.empty()) error_ = say(rank, what);
  }

  std::span<Cell> cells(int rank, const Part& part) {
    SimulatedRank& memory = ranks_[static_cast<std::size_t>(rank)];
    std::vector<Cell>& slot = part.slot == Slot::send      ? memory.send
                              : part.slot == Slot::receive ? memory.receive
                                                           : memory.scratch;
    if (part.count == 0) return {};
    if (part.offset < 0 || part.count < 0 || part.offset + part.count > static_cast<Count>(slot.size())) {
      fail(rank, "memory outside the slot");
      return {};
    }
    return {slot.data() + part.offset, static_cast<std::size_t>(part.count)};
  }
  std::span<Marks> marks(int rank, const Part& part) {
    if (cells(rank, part).empty()) return {};
    std::vector<Marks>& slot = state_[static_cast<std::size_t>(rank)].marks[static_cast<int>(part.slot)];
    return {slot.data() + part.offset, static_cast<std::size_t>(part.count)};
  }

  void check_read(int rank, const Part& part) {
    for (const Marks& mark : marks(rank, part)) {
      if (mark.writing) fail(rank, "reads what is being received");
    }
    for (const Cell& cell : cells(rank, part)) {
      if (cell.ranks == 0) fail(rank, "reads a cell that holds nothing");
    }
  }
  void check_write(int rank, const Part& part) {
    for (const Marks& mark : marks(rank, part)) {
      if (mark.writing || mark.reading) fail(rank, "overwrites what is under way");
    }
  }
  static bool overlap(const Part& a, const Part& b) {
    return a.slot == b.slot && a.count > 0 && b.count > 0 && a.offset < b.offset + b.count && b.offset < a.offset + a.count;
  }

  Cell product(int rank, const Cell& a, const Cell& b) {
    if (ranks_.size() <= 64 && (a.ranks & b.ranks) != 0) fail(rank, "a value goes into a product twice");
    if (a.element != b.element) fail(rank, "different elements are combined");
    return Cell{a.ranks + b.ranks,          mix(a.tree, b.tree),      a.element,
                std::min(a.first, b.first), std::max(a.last, b.last), a.in_order && b.in_order && a.last + 1 == b.first};
  }

  void do_local(int rank, const RecordedStep& step) {
    check_read(rank, step.a);
    const bool three = step.kind == RecordedStep::Kind::reduce_copy, copies = step.kind == RecordedStep::Kind::copy;
    if (!copies) check_read(rank, step.b);
    const Part& target = three ? step.c : step.b;
    check_write(rank, target);
    if (step.a.count != target.count || (three && step.b.count != target.count)) fail(rank, "parts of different size");
    if (overlap(step.a, target) || (three && overlap(step.b, target))) fail(rank, "parts overlap");
    if (!error_.empty()) return;
    state_[static_cast<std::size_t>(rank)].handled += target.count;
    const std::span<Cell> a = cells(rank, step.a), b = cells(rank, step.b), to = cells(rank, target);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = copies ? a[i] : product(rank, a[i], b[i]);
  }

  void post(int rank, std::size_t index) {
    const RecordedStep& step = ranks_[static_cast<std::size_t>(rank)].steps[index];
    const bool sends = step.kind == RecordedStep::Kind::send;
    if (step.peer < 0 || step.peer >= static_cast<int>(ranks_.size()) || step.peer == rank)
      return fail(rank, "a message to no other rank");
    if (sends) check_read(rank, step.a);
    if (!sends) check_write(rank, step.a);
    for (Marks& mark : marks(rank, step.a)) (sends ? mark.reading : mark.writing) = true;
    RankState& state = state_[static_cast<std::size_t>(rank)];
    state.posted.push_back({rank, index, false, state.chain + 1, sends ? state.heard : Heard()});
    ++state.touched;
    if (sends) ++state.messages, state.cells += step.a.count;
    const std::pair<int, int> pair = sends ? std::pair{rank, step.peer} : std::pair{step.peer, rank};
    (sends ? sends_ : receives_)[pair].push_back(&state.posted.back());
    match(pair);
  }

  void match(std::pair<int, int> pair) {
    auto& out = sends_[pair];
    auto& in = receives_[pair];
    while (!out.empty() && !in.empty() && error_.empty()) {
      const Part& from = part_of(*out.front());
      const Part& to = part_of(*in.front());
      if (from.count != to.count)
        return fail(pair.second, "a message of " + std::to_string(from.count) + " cells from rank " +
                                     std::to_string(pair.first) + " where " + std::to_string(to.count) + " are expected");
      std::ranges::copy(cells(pair.first, from), cells(pair.second, to).begin());
      out.front()->done = in.front()->done = true;
      in.front()->chain = out.front()->chain;
      in.front()->heard = std::move(out.front()->heard);
      out.pop_front();
      in.pop_front();
    }
  }
  const Part& part_of(const Posted& posted) { return ranks_[static_cast<std::size_t>(posted.rank)].steps[posted.step].a; }

  // Goes on until the rank waits; true if anything was done.
  bool advance(int rank) {
    RankState& state = state_[static_cast<std::size_t>(rank)];
    const auto& steps = ranks_[static_cast<std::size_t>(rank)].steps;
    bool moved = false;
    while (state.at < steps.size() && error_.empty()) {
      const RecordedStep& step = steps[state.at];
      if (step.kind == RecordedStep::Kind::end_round) {
        if (!std::ranges::all_of(state.posted, &Posted::done)) return moved;
        if (static_cast<int>(state.posted.size()) > kRoundMost) fail(rank, "too many messages in a round");
        for (const Posted& posted : state.posted) {
          for (Marks& mark : marks(rank, part_of(posted))) mark = Marks{};
          if (!posted.heard.empty()) {
            add_to(state.heard, posted.heard);
            state.chain = std::max(state.chain, posted.chain);
          }
        }
        if (!state.posted.empty()) ++state.rounds;
        state.posted.clear();
      } else if (step.kind == RecordedStep::Kind::send || step.kind == RecordedStep::Kind::recv) {
        post(rank, state.at);
      } else {
        do_local(rank, step);
      }
      moved = true;
      ++state.at;
    }
    return moved;
  }

  std::vector<SimulatedRank>& ranks_;
  SimulatedCost* cost_;
  std::vector<RankState> state_;
  std::map<std::pair<int, int>, std::deque<Posted*>> sends_, receives_;
  std::string error_;
};

}  // namespace

std::uint64_t Cell::mark(int rank, int size) {
  return size <= 64 ? std::uint64_t{1} << rank : mix(static_cast<std::uint64_t>(rank) + 1, 0x2545f4914f6cdd1du);
}
Cell Cell::of(int rank, int size, Count element) {
  return Cell{mark(rank, size), static_cast<std::uint64_t>(rank) + 1, element, rank, rank, true};
}

std::string simulate(std::vector<SimulatedRank>& ranks, SimulatedCost* cost) { return Player(ranks, cost).run(); }

}  // namespace ompi_lite::coll
