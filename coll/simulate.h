// SPDX-License-Identifier: BSD-3-Clause
// The model of Steps for tests and studies: records what each rank would do, then plays all ranks in one thread on
// symbolic data.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "coll/steps.h"

namespace ompi_lite::coll {

// One step of one rank, as recorded.
struct RecordedStep {
  enum class Kind : std::uint8_t { send, recv, end_round, copy, reduce, reduce_copy };
  Kind kind;
  int peer = -1;
  Part a, b, c;
};

// A model of Steps for one rank. Elements and bytes are the same thing here: one cell.
class Recorder {
 public:
  Recorder(int rank, int size) : rank_(rank), size_(size) {}

  int rank() const { return rank_; }
  int size() const { return size_; }
  const HostMap* hosts() const { return hosts_; }
  void place_on(const HostMap& hosts) { hosts_ = &hosts; }
  void send(const Part& part, int peer) { add({RecordedStep::Kind::send, peer, part, {}, {}}); }
  void recv(const Part& part, int peer) { add({RecordedStep::Kind::recv, peer, part, {}, {}}); }
  void sendrecv(const Part& out, int dest, const Part& in, int source) {
    recv(in, source);
    send(out, dest);
  }
  void end_round() { add({RecordedStep::Kind::end_round, -1, {}, {}, {}}); }
  void copy(const Part& from, const Part& to) { add({RecordedStep::Kind::copy, -1, from, to, {}}); }
  void reduce(const Part& a, const Part& b) { add({RecordedStep::Kind::reduce, -1, a, b, {}}); }
  void reduce_copy(const Part& a, const Part& b, const Part& c) { add({RecordedStep::Kind::reduce_copy, -1, a, b, c}); }
  Part scratch(Count count) {
    const Part part{Slot::scratch, 0, scratch_, count};
    scratch_ += count;
    return part;
  }
  Count* numbers(Count n) { return numbers_.emplace_back(static_cast<std::size_t>(n)).data(); }
  Part slice(const Part& part, Count first, Count count) const { return {part.slot, part.type, part.offset + first, count}; }
  Count bytes(const Part& part) const { return part.count; }
  template <class Body>
  void loop(Count n, Body&& body) {
    for (Count i = 0; i < n; ++i) body(i);
  }

  std::vector<RecordedStep>& steps() { return steps_; }
  Count scratch_cells() const { return scratch_; }

 private:
  void add(RecordedStep step) { steps_.push_back(step); }

  int rank_, size_;
  const HostMap* hosts_ = nullptr;
  Count scratch_ = 0;
  std::deque<std::vector<Count>> numbers_;
  std::vector<RecordedStep> steps_;
};

// A cell of symbolic data: whose values it is the product of, in which order they were combined, and which element it is.
struct Cell {
  std::uint64_t ranks = 0;  // the sum of mark() over the ranks whose values are in it; 0: the cell holds nothing
  std::uint64_t tree = 0;   // hash of the parentheses: equal if and only if the results are equal bit by bit
  Count element = -1;
  int first = 0, last = 0;  // lowest and highest of the ranks
  bool in_order = true;     // combined in rank order

  bool operator==(const Cell&) const = default;
  static Cell of(int rank, int size, Count element);
  // A bit among up to 64 ranks; among more a number whose sums differ for different ranks, but for a chance of 2^-64.
  static std::uint64_t mark(int rank, int size);
};

// One rank's memory and recorded steps.
struct SimulatedRank {
  std::vector<Cell> send, receive, scratch;
  std::vector<RecordedStep> steps;
};

// What was counted in a run.
struct SimulatedCost {
  Count rounds = 0, messages = 0, cells_sent = 0;          // of the rank that has most of each; messages: sent
  Count touched = 0;                                       // messages sent and received by the busiest rank
  Count chain = 0;                                         // the longest chain of messages that wait for each other
  Count all_messages = 0, all_cells = 0, all_handled = 0;  // of all; handled: cells reduced or copied
  int least_heard = 0;  // of how many ranks (itself too) each rank has heard when it ends, at least: what a barrier promises
};

// Plays the ranks until all are done. A message is handed over only when both sides are in the round that names it (no
// buffering at all), in the order of posting between two ranks. Returns "" or what went wrong: a deadlock, messages of
// unequal length, cells that are read or overwritten while they are under way or before they hold anything, a value that
// goes into a product twice, memory outside the slots.
std::string simulate(std::vector<SimulatedRank>& ranks, SimulatedCost* cost = nullptr);

}  // namespace ompi_lite::coll
