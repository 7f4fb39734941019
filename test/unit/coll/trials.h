// SPDX-License-Identifier: BSD-3-Clause
// One run of a collective on symbolic data: what the ranks hold before, and what they must hold afterwards. For every kind
// of call one way to set it up, whatever the algorithm.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "coll/calls.h"
#include "coll/simulate.h"

namespace ompi_lite::coll {

// What a run is made with. `count`: elements of the vector or of a block; where blocks are uneven, what their sizes vary
// with.
struct Shape {
  int p;
  int root = 0;
  Count count = 1;
  bool in_place = false;
  bool commutative = false;
};

// The memory of p ranks and the steps that an algorithm recorded.
struct Job {
  explicit Job(int p) : ranks(static_cast<std::size_t>(p)) {}
  int p() const { return static_cast<int>(ranks.size()); }
  SimulatedRank& operator[](int r) { return ranks[static_cast<std::size_t>(r)]; }
  const SimulatedRank& operator[](int r) const { return ranks[static_cast<std::size_t>(r)]; }

  // Records body(recorder) for each rank.
  template <class Body>
  void record(Body&& body) {
    for (int r = 0; r < p(); ++r) {
      Recorder recorder(r, p());
      body(recorder);
      (*this)[r].steps = std::move(recorder.steps());
      (*this)[r].scratch.assign(static_cast<std::size_t>(recorder.scratch_cells()), Cell{});
    }
  }

  std::vector<SimulatedRank> ranks;
};

// A job that is ready to be played, and the judge of its end: "" or what is wrong.
struct Trial {
  explicit Trial(int p) : job(p) {}
  std::string play(SimulatedCost* cost = nullptr) { return play(job, cost); }  // once
  // Plays a copy of the job, with changed steps perhaps.
  std::string play(Job& played, SimulatedCost* cost = nullptr) const {
    SimulatedCost own;
    if (cost == nullptr) cost = &own;
    std::string error = simulate(played.ranks, cost);
    return error.empty() ? judge(played, *cost) : error;
  }

  Job job;
  std::function<std::string(const Job&, const SimulatedCost&)> judge;
};

inline std::vector<Cell> vector_of(int rank, int p, Count n, Count first = 0) {
  std::vector<Cell> cells;
  for (Count i = 0; i < n; ++i) cells.push_back(Cell::of(rank, p, first + i));
  return cells;
}
// The values that rank `from` has for rank `to`, which are 0 where a block is for all.
inline std::vector<Cell> block_of_values(int from, int to, int p, Count n) { return vector_of(from, p, n, to * 1000); }

inline void put(std::vector<Cell>& memory, const Part& at, const std::vector<Cell>& cells) {
  if (static_cast<Count>(memory.size()) < at.offset + at.count)
    memory.resize(static_cast<std::size_t>(at.offset + at.count));
  std::copy_n(cells.begin(), at.count, memory.begin() + at.offset);
}
inline std::string differs(const std::vector<Cell>& memory, const Part& at, const std::vector<Cell>& cells, int rank) {
  if (std::equal(cells.begin(), cells.end(), memory.begin() + at.offset)) return {};
  return "rank " + std::to_string(rank) + " has other data at " + std::to_string(at.offset);
}

// "" or how the n cells differ from the product of the values of the ranks first..last.
inline std::string product_error(const std::vector<Cell>& cells, Count n, Count element, int first, int last, int p,
                                 bool ordered) {
  std::uint64_t all = 0;
  for (int r = first; r <= last; ++r) all += Cell::mark(r, p);
  for (Count i = 0; i < n; ++i) {
    const Cell& cell = cells[static_cast<std::size_t>(i)];
    if (cell.ranks != all) return "a value is missing at element " + std::to_string(i);
    if (cell.element != element + i) return "wrong element at " + std::to_string(i);
    if (ordered && !cell.in_order) return "not in rank order at element " + std::to_string(i);
  }
  return {};
}

// Sizes and places of the blocks of a v-form: uneven, some empty, in descending order with a gap between.
struct Uneven {
  Uneven(int p, const std::function<Count(int)>& size)
      : counts(static_cast<std::size_t>(p)), displacements(static_cast<std::size_t>(p)) {
    for (int i = p - 1; i >= 0; --i) {
      counts[static_cast<std::size_t>(i)] = size(i);
      displacements[static_cast<std::size_t>(i)] = end;
      end += size(i) + 1;
    }
  }
  Blocks blocks(Slot slot) const { return Blocks(slot, CountSpan(counts.data()), CountSpan(displacements.data()), 1); }
  std::vector<Count> counts, displacements;
  Count end = 0;
};

constexpr bool uneven_blocks(Operation operation) {
  using O = Operation;
  return operation == O::gatherv || operation == O::scatterv || operation == O::allgatherv || operation == O::alltoallv ||
         operation == O::alltoallw || operation == O::reduce_scatter;
}
inline Count uneven_size(const Shape& shape, int from, int to) {
  return shape.count == 0 ? 0 : (from * 3 + to * 7 + shape.count) % 5;
}

// Sets up and records the operation; run(recorder, call) is the algorithm.
template <Operation operation, class Run>
Trial make_trial(const Shape& shape, Run&& run);

template <Operation operation, class Run>
Trial barrier_trial(const Shape& shape, Run&& run) {
  Trial trial(shape.p);
  trial.job.record([&](Recorder& steps) { run(steps, BarrierCall{}); });
  trial.judge = [p = shape.p](const Job&, const SimulatedCost& cost) {
    return cost.least_heard == p ? "" : "a rank ends before it has heard of all others";
  };
  return trial;
}

template <Operation operation, class Run>
Trial bcast_trial(const Shape& shape, Run&& run) {
  Trial trial(shape.p);
  for (int r = 0; r < shape.p; ++r) trial.job[r].receive.resize(static_cast<std::size_t>(shape.count));
  trial.job[shape.root].receive = vector_of(shape.root, shape.p, shape.count);
  const Part whole{Slot::receive, 0, 0, shape.count};
  trial.job.record([&](Recorder& steps) { run(steps, BcastCall{whole, shape.root}); });
  trial.judge = [shape, whole](const Job& job, const SimulatedCost&) {
    std::string error;
    for (int r = 0; r < shape.p && error.empty(); ++r)
      error = differs(job[r].receive, whole, vector_of(shape.root, shape.p, shape.count), r);
    return error;
  };
  return trial;
}

template <Operation operation, class Run>
Trial rooted_trial(const Shape& shape, Run&& run) {
  constexpr bool scatters = operation == Operation::scatter || operation == Operation::scatterv;
  const int p = shape.p, root = shape.root;
  auto sizes = std::make_shared<Uneven>(p, [&](int i) { return uneven_size(shape, i, 0); });
  const Blocks blocks =
      uneven_blocks(operation) ? sizes->blocks(Slot::receive) : Blocks(Slot::receive, shape.count, shape.count);
  Trial trial(p);
  const auto values = [=](int r) { return block_of_values(scatters ? root : r, scatters ? r : 0, p, blocks[r].count); };
  for (int r = 0; r < p; ++r) {
    trial.job[r].send.resize(static_cast<std::size_t>(blocks[r].count));
    if (!scatters) trial.job[r].send = values(r);
    const bool there = scatters || r == root;  // the root's own block is in its place
    put(trial.job[root].receive, blocks[r],
        there ? values(r) : std::vector<Cell>(static_cast<std::size_t>(blocks[r].count)));
  }
  trial.job.record([&](Recorder& steps) {
    const Part mine{Slot::send, 0, 0, blocks[steps.rank()].count};
    run(steps, RootedCall{mine, blocks, root, uneven_blocks(operation) ? 0 : shape.count});
  });
  trial.judge = [=](const Job& job, const SimulatedCost&) {
    std::string error;
    for (int r = 0; r < p && error.empty(); ++r) {
      if (scatters && r == root) continue;
      error = scatters ? differs(job[r].send, Part{}, values(r), r) : differs(job[root].receive, blocks[r], values(r), root);
    }
    return sizes == nullptr ? "" : error;  // keeps the sizes alive
  };
  return trial;
}

template <Operation operation, class Run>
Trial allgather_trial(const Shape& shape, Run&& run) {
  const int p = shape.p;
  auto sizes = std::make_shared<Uneven>(p, [&](int i) { return uneven_size(shape, i, 0); });
  const Blocks blocks =
      uneven_blocks(operation) ? sizes->blocks(Slot::receive) : Blocks(Slot::receive, shape.count, shape.count);
  Trial trial(p);
  for (int r = 0; r < p; ++r) {
    trial.job[r].receive.resize(static_cast<std::size_t>(uneven_blocks(operation) ? sizes->end : shape.count * p));
    put(trial.job[r].receive, blocks[r], block_of_values(r, 0, p, blocks[r].count));
  }
  trial.job.record([&](Recorder& steps) { run(steps, AllgatherCall{blocks}); });
  trial.judge = [=](const Job& job, const SimulatedCost&) {
    std::string error;
    for (int i = 0; i < p; ++i) {
      const std::vector<Cell> block = block_of_values(i, 0, p, blocks[i].count);
      for (int r = 0; r < p && error.empty(); ++r) error = differs(job[r].receive, blocks[i], block, r);
    }
    return sizes == nullptr ? "" : error;
  };
  return trial;
}

template <Operation operation, class Run>
Trial alltoall_trial(const Shape& shape, Run&& run) {
  constexpr bool uneven = uneven_blocks(operation);
  const int p = shape.p;
  const auto size = [shape](int from, int to) { return uneven ? uneven_size(shape, from, to) : shape.count; };
  auto places = std::make_shared<std::vector<Uneven>>();
  std::vector<Blocks> send, receive;
  for (int r = 0; r < p; ++r) {
    places->emplace_back(p, [&](int i) { return size(r, i); });
    places->emplace_back(p, [&](int i) { return size(i, r); });
  }
  Trial trial(p);
  for (int r = 0; r < p; ++r) {
    const Uneven &out = (*places)[static_cast<std::size_t>(2 * r)], &in = (*places)[static_cast<std::size_t>(2 * r + 1)];
    send.push_back(uneven ? out.blocks(Slot::send) : Blocks(Slot::send, shape.count, shape.count));
    receive.push_back(uneven ? in.blocks(Slot::receive) : Blocks(Slot::receive, shape.count, shape.count));
    trial.job[r].send.resize(static_cast<std::size_t>(uneven ? out.end : shape.count * p));
    trial.job[r].receive.resize(static_cast<std::size_t>(uneven ? in.end : shape.count * p));
    for (int i = 0; i < p; ++i) put(trial.job[r].send, send.back()[i], block_of_values(r, i, p, size(r, i)));
  }
  trial.job.record([&](Recorder& steps) {
    const auto r = static_cast<std::size_t>(steps.rank());
    run(steps, AlltoallCall{send[r], receive[r], uneven ? 0 : shape.count});
  });
  trial.judge = [=](const Job& job, const SimulatedCost&) {
    std::string error;
    for (int r = 0; r < p; ++r) {
      for (int i = 0; i < p && error.empty(); ++i) {
        if (i == r) continue;  // moved before
        const Part at = receive[static_cast<std::size_t>(r)][i];
        error = differs(job[r].receive, at, block_of_values(i, r, p, size(i, r)), r);
      }
    }
    return places == nullptr ? "" : error;
  };
  return trial;
}

template <Operation operation, class Run>
Trial reduce_trial(const Shape& shape, Run&& run) {
  constexpr bool rooted = operation == Operation::reduce;
  const int p = shape.p, root = shape.root;
  const Count n = shape.count;
  Trial trial(p);
  const auto gets = [=](int r) { return !rooted || r == root; };
  for (int r = 0; r < p; ++r) {
    const bool here = shape.in_place && gets(r);
    (here ? trial.job[r].receive : trial.job[r].send) = vector_of(r, p, n);
    if (gets(r)) trial.job[r].receive.resize(static_cast<std::size_t>(n));
  }
  trial.job.record([&](Recorder& steps) {
    const Part output{Slot::receive, 0, 0, n};
    const bool here = shape.in_place && gets(steps.rank());
    run(steps, ReduceCall{here ? output : Part{Slot::send, 0, 0, n}, output, root, shape.commutative});
  });
  trial.judge = [=](const Job& job, const SimulatedCost&) -> std::string {
    for (int r = 0; r < p; ++r) {
      if (!gets(r) || (operation == Operation::exscan && r == 0)) continue;
      const int last = operation == Operation::scan ? r : operation == Operation::exscan ? r - 1 : p - 1;
      std::string error = product_error(job[r].receive, n, 0, 0, last, p, !shape.commutative);
      if (!error.empty()) return "rank " + std::to_string(r) + ": " + error;
      if (operation == Operation::allreduce && job[r].receive != job[0].receive) return "other parentheses than at rank 0";
      if (!(shape.in_place && gets(r)) && job[r].send != vector_of(r, p, n)) return "the input was changed";
    }
    return {};
  };
  return trial;
}

template <Operation operation, class Run>
Trial reduce_scatter_trial(const Shape& shape, Run&& run) {
  constexpr bool uneven = uneven_blocks(operation);
  const int p = shape.p;
  auto borders = std::make_shared<std::vector<Count>>(1, 0);
  for (int i = 0; i < p; ++i) borders->push_back(borders->back() + (uneven ? uneven_size(shape, i, 0) : shape.count));
  const Count total = borders->back();
  const Split split = uneven ? Split(borders->data()) : Split(total, p);
  Trial trial(p);
  for (int r = 0; r < p; ++r) {
    trial.job[r].receive.resize(static_cast<std::size_t>(split.size(r)));
    (shape.in_place ? trial.job[r].receive : trial.job[r].send) = vector_of(r, p, total);
  }
  trial.job.record([&](Recorder& steps) {
    const Part input{shape.in_place ? Slot::receive : Slot::send, 0, 0, total};
    run(steps, ReduceScatterCall{input, Part{Slot::receive, 0, 0, split.size(steps.rank())}, split});
  });
  trial.judge = [=](const Job& job, const SimulatedCost&) -> std::string {
    for (int r = 0; r < p; ++r) {
      std::string error = product_error(job[r].receive, split.size(r), (*borders)[static_cast<std::size_t>(r)], 0, p - 1, p,
                                        !shape.commutative);
      if (!error.empty()) return "rank " + std::to_string(r) + ": " + error;
    }
    return {};
  };
  return trial;
}

template <Operation operation, class Run>
Trial make_trial(const Shape& shape, Run&& run) {
  using Call = CallOf<operation>;
  if constexpr (std::is_same_v<Call, BarrierCall>) {
    return barrier_trial<operation>(shape, run);
  } else if constexpr (std::is_same_v<Call, BcastCall>) {
    return bcast_trial<operation>(shape, run);
  } else if constexpr (std::is_same_v<Call, RootedCall>) {
    return rooted_trial<operation>(shape, run);
  } else if constexpr (std::is_same_v<Call, AllgatherCall>) {
    return allgather_trial<operation>(shape, run);
  } else if constexpr (std::is_same_v<Call, AlltoallCall>) {
    return alltoall_trial<operation>(shape, run);
  } else if constexpr (std::is_same_v<Call, ReduceCall>) {
    return reduce_trial<operation>(shape, run);
  } else {
    return reduce_scatter_trial<operation>(shape, run);
  }
}

}  // namespace ompi_lite::coll
