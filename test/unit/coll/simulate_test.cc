// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm for every p up to 64, on symbolic data: each value where it belongs, in rank order where that is
// promised, the same parentheses at all ranks, no deadlock without buffering.
#include "coll/simulate.h"

#include <catch2/catch.hpp>
#include <functional>
#include <numeric>

#include "coll/algorithms/allgather.h"
#include "coll/algorithms/allreduce.h"
#include "coll/algorithms/alltoall.h"
#include "coll/algorithms/barrier.h"
#include "coll/algorithms/bcast.h"
#include "coll/algorithms/gather.h"
#include "coll/algorithms/reduce.h"
#include "coll/algorithms/reduce_scatter.h"
#include "coll/algorithms/scan.h"
#include "coll/algorithms/scatter.h"

using namespace ompi_lite;
using namespace ompi_lite::coll;

namespace {

constexpr int kMostRanks = 64;

// A job of p ranks whose memory the test fills, and whose steps are recorded by the algorithm under test.
struct Job {
  explicit Job(int p) : ranks(static_cast<std::size_t>(p)) {}
  int p() const { return static_cast<int>(ranks.size()); }
  SimulatedRank& operator[](int r) { return ranks[static_cast<std::size_t>(r)]; }

  // Records body(recorder) for each rank.
  template <class Body>
  void record(Body&& body) {
    for (int r = 0; r < p(); ++r) {
      Recorder recorder(r, p());
      body(recorder);
      (*this)[r].steps = recorder.steps();
      (*this)[r].scratch.assign(static_cast<std::size_t>(recorder.scratch_cells()), Cell{});
    }
  }
  std::string play(SimulatedCost* cost = nullptr) { return simulate(ranks, cost); }

  std::vector<SimulatedRank> ranks;
};

std::vector<Cell> vector_of(int rank, Count n) {
  std::vector<Cell> cells;
  for (Count i = 0; i < n; ++i) cells.push_back(Cell::of(rank, i));
  return cells;
}
std::uint64_t everyone(int p) { return p == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << p) - 1; }

std::vector<Count> counts_for(int p) {
  if (p <= 9) return {0, 1, p - 1, p, p + 1, 13, 4 * p + 3};
  return {1, p - 1, p, 97};
}
std::vector<int> roots_for(int p) {
  if (p > 9) return {0, p / 2, p - 1};
  std::vector<int> roots(static_cast<std::size_t>(p));
  std::iota(roots.begin(), roots.end(), 0);
  return roots;
}

// "" or how the cells differ from the product of the values of the ranks first..last.
std::string product_error(const std::vector<Cell>& cells, Count from, Count n, Count element, std::uint64_t ranks,
                          bool ordered) {
  for (Count i = 0; i < n; ++i) {
    const Cell& cell = cells[static_cast<std::size_t>(from + i)];
    if (cell.ranks != ranks) return "a value is missing at element " + std::to_string(i);
    if (cell.element != element + i) return "wrong element at " + std::to_string(i);
    if (ordered && !cell.in_order) return "not in rank order at element " + std::to_string(i);
  }
  return {};
}

using Rooted = std::function<void(Recorder&, Part input, Part output, int root)>;

// Runs a reduction to `root` (or to all, root -1) for all shapes; "" or the first failure.
std::string check_reduction(const Rooted& algorithm, bool ordered, bool to_all, int most = kMostRanks) {
  for (int p = 1; p <= most; ++p) {
    for (int root : to_all ? std::vector<int>{0} : roots_for(p)) {
      for (Count n : counts_for(p)) {
        for (bool in_place : {false, true}) {
          Job job(p);
          for (int r = 0; r < p; ++r) {
            const bool here = in_place && (to_all || r == root);
            (here ? job[r].receive : job[r].send) = vector_of(r, n);
            if (!here && (to_all || r == root)) job[r].receive.resize(static_cast<std::size_t>(n));
          }
          job.record([&](Recorder& steps) {
            const bool here = in_place && (to_all || steps.rank() == root);
            const Part output{Slot::receive, 0, 0, n};
            algorithm(steps, here ? output : Part{Slot::send, 0, 0, n}, output, root);
          });
          std::string error = job.play();
          for (int r = 0; r < p && error.empty(); ++r) {
            if (!to_all && r != root) continue;
            error = product_error(job[r].receive, 0, n, 0, everyone(p), ordered);
            if (error.empty() && job[r].receive != job[root].receive) error = "other parentheses than at rank 0";
          }
          if (!error.empty()) {
            return "p " + std::to_string(p) + " root " + std::to_string(root) + " count " + std::to_string(n) + ": " + error;
          }
        }
      }
    }
  }
  return {};
}

}  // namespace

TEST_CASE("reduce algorithms combine every value once, in rank order where promised") {
  CHECK(check_reduction([](auto& s, Part in, Part out, int root) { reduce_linear(s, in, out, root); }, true, false) == "");
  CHECK(check_reduction([](auto& s, Part in, Part out, int root) { reduce_binomial(s, in, out, root, false); }, true,
                        false) == "");
  CHECK(check_reduction([](auto& s, Part in, Part out, int root) { reduce_binomial(s, in, out, root, true); }, false,
                        false) == "");
  CHECK(check_reduction([](auto& s, Part in, Part out, int root) { reduce_scatter_gather(s, in, out, root); }, false,
                        false) == "");
}

TEST_CASE("allreduce algorithms combine every value once, with the same parentheses at all ranks") {
  CHECK(check_reduction([](auto& s, Part in, Part out, int) { allreduce_linear(s, in, out); }, true, true) == "");
  CHECK(check_reduction([](auto& s, Part in, Part out, int) { allreduce_tree(s, in, out); }, true, true) == "");
  CHECK(check_reduction([](auto& s, Part in, Part out, int) { allreduce_allgather(s, in, out); }, true, true, 33) == "");
  CHECK(check_reduction([](auto& s, Part in, Part out, int) { allreduce_recursive_doubling(s, in, out); }, true, true) ==
        "");
  CHECK(check_reduction([](auto& s, Part in, Part out, int) { allreduce_circulant(s, in, out); }, false, true) == "");
  CHECK(check_reduction([](auto& s, Part in, Part out, int) { allreduce_ring(s, in, out); }, false, true) == "");
}

TEST_CASE("bcast algorithms bring the root's data to all ranks") {
  const std::function<void(Recorder&, Part, int)> algorithms[] = {
      [](auto& s, Part data, int root) { bcast_linear(s, data, root); },
      [](auto& s, Part data, int root) { bcast_binomial(s, data, root); },
      [](auto& s, Part data, int root) { bcast_chain(s, data, root, 3); },
      [](auto& s, Part data, int root) { bcast_chain(s, data, root, 1000); },
      [](auto& s, Part data, int root) { bcast_scatter_allgather(s, data, root); },
  };
  for (const auto& algorithm : algorithms) {
    for (int p = 1; p <= kMostRanks; ++p) {
      for (int root : roots_for(p)) {
        for (Count n : counts_for(p)) {
          Job job(p);
          for (int r = 0; r < p; ++r) job[r].receive.resize(static_cast<std::size_t>(n));
          job[root].receive = vector_of(root, n);
          job.record([&](Recorder& steps) { algorithm(steps, Part{Slot::receive, 0, 0, n}, root); });
          INFO("algorithm " << &algorithm - algorithms << " p " << p << " root " << root << " count " << n);
          REQUIRE(job.play() == "");
          for (int r = 0; r < p; ++r) REQUIRE(job[r].receive == vector_of(root, n));
        }
      }
    }
  }
}

TEST_CASE("barrier algorithms end when all ranks have come") {
  for (int p = 1; p <= kMostRanks; ++p) {
    for (bool linear : {false, true}) {
      Job job(p);
      job.record([&](Recorder& steps) { linear ? barrier_linear(steps) : barrier_dissemination(steps); });
      INFO("p " << p << " linear " << linear);
      SimulatedCost cost;
      REQUIRE(job.play(&cost) == "");
      if (!linear && p > 1) REQUIRE(cost.rounds == std::bit_width(static_cast<unsigned>(p - 1)));
    }
  }
}

namespace {

// The values that rank `from` has for rank `to` (0 where a block is for all).
std::vector<Cell> block_of_values(int from, int to, Count n) {
  std::vector<Cell> cells;
  for (Count i = 0; i < n; ++i) cells.push_back(Cell::of(from, to * 1000 + i));
  return cells;
}

// Sizes and places of the blocks of a v-form: uneven, some empty, in descending order with a gap between.
struct Uneven {
  explicit Uneven(int p, int salt = 0) : counts(static_cast<std::size_t>(p)), displacements(static_cast<std::size_t>(p)) {
    for (int i = p - 1; i >= 0; --i) {
      counts[static_cast<std::size_t>(i)] = (i * 7 + salt * 3) % 5;
      displacements[static_cast<std::size_t>(i)] = end;
      end += counts[static_cast<std::size_t>(i)] + 1;
    }
  }
  Blocks blocks(Slot slot) const { return Blocks(slot, CountSpan(counts.data()), CountSpan(displacements.data()), 1); }
  std::vector<Count> counts, displacements;
  Count end = 0;
};

void put(std::vector<Cell>& memory, const Part& at, const std::vector<Cell>& cells) {
  REQUIRE(static_cast<Count>(cells.size()) == at.count);
  if (static_cast<Count>(memory.size()) < at.offset + at.count)
    memory.resize(static_cast<std::size_t>(at.offset + at.count));
  std::copy(cells.begin(), cells.end(), memory.begin() + at.offset);
}
std::vector<Cell> get(const std::vector<Cell>& memory, const Part& at) {
  return {memory.begin() + at.offset, memory.begin() + at.offset + at.count};
}

}  // namespace

TEST_CASE("allgather algorithms bring every block to all ranks") {
  struct Case {
    std::function<void(Recorder&, const Blocks&)> algorithm;
    bool uneven;
  };
  const Case cases[] = {
      {[](auto& s, const Blocks& b) { allgather_linear(s, b); }, true},
      {[](auto& s, const Blocks& b) { allgather_ring(s, b); }, true},
      {[](auto& s, const Blocks& b) { allgather_bruck(s, b); }, true},
      {[](auto& s, const Blocks& b) { allgather_circulant(s, b); }, false},
  };
  for (const Case& each : cases) {
    for (int p = 1; p <= kMostRanks; ++p) {
      for (int form = 0; form < (each.uneven ? 4 : 3); ++form) {
        const Uneven uneven(p);
        const Blocks blocks = form == 3 ? uneven.blocks(Slot::receive) : Blocks(Slot::receive, form, form);
        Job job(p);
        for (int r = 0; r < p; ++r) {
          job[r].receive.resize(static_cast<std::size_t>(form == 3 ? uneven.end : form * p));
          put(job[r].receive, blocks[r], block_of_values(r, 0, blocks[r].count));
        }
        job.record([&](Recorder& steps) { each.algorithm(steps, blocks); });
        INFO("algorithm " << &each - cases << " p " << p << " form " << form);
        REQUIRE(job.play() == "");
        for (int r = 0; r < p; ++r) {
          for (int i = 0; i < p; ++i) REQUIRE(get(job[r].receive, blocks[i]) == block_of_values(i, 0, blocks[i].count));
        }
      }
    }
  }
}

TEST_CASE("gather and scatter algorithms move every block to its place") {
  for (int p = 1; p <= kMostRanks; ++p) {
    for (int root : roots_for(p)) {
      for (int form = 0; form < 6; ++form) {  // 0..3: binomial or linear with 1 or 2 cells; 4, 5: linear, uneven
        const bool scatters = form % 2 == 1, uneven = form >= 4, binomial = form < 2;
        const Uneven sizes(p);
        const Count block = binomial ? 1 : 2;
        const Blocks blocks = uneven ? sizes.blocks(Slot::receive) : Blocks(Slot::receive, block, block);
        Job job(p);
        for (int r = 0; r < p; ++r) {
          job[r].send.resize(static_cast<std::size_t>(blocks[r].count));
          if (!scatters) job[r].send = block_of_values(r, 0, blocks[r].count);
          put(job[root].receive, blocks[r],
              scatters    ? block_of_values(root, r, blocks[r].count)
              : r == root ? block_of_values(r, 0, blocks[r].count)
                          : std::vector<Cell>(static_cast<std::size_t>(blocks[r].count)));
        }
        job.record([&](Recorder& steps) {
          const Part mine{Slot::send, 0, 0, blocks[steps.rank()].count};
          if (scatters && binomial) return scatter_binomial(steps, blocks, mine, root, block);
          if (scatters) return scatter_linear(steps, blocks, mine, root);
          if (binomial) return gather_binomial(steps, mine, blocks, root, block);
          gather_linear(steps, mine, blocks, root);
        });
        INFO("p " << p << " root " << root << " form " << form);
        REQUIRE(job.play() == "");
        for (int r = 0; r < p; ++r) {
          if (scatters && r != root) REQUIRE(job[r].send == block_of_values(root, r, blocks[r].count));
          if (!scatters) REQUIRE(get(job[root].receive, blocks[r]) == block_of_values(r, 0, blocks[r].count));
        }
      }
    }
  }
}

TEST_CASE("alltoall algorithms bring each block from its sender to its receiver") {
  for (int p = 1; p <= kMostRanks; ++p) {
    for (int form = 0; form < 4; ++form) {  // linear, pairwise, bruck; 3: pairwise, uneven
      const auto count = [&](int from, int to) { return form == 3 ? Count{(from * 3 + to) % 4} : Count{2}; };
      Job job(p);
      std::vector<std::vector<Count>> counts[2], places[2];
      std::vector<Blocks> send, receive;
      for (int r = 0; r < p; ++r) {
        for (int way = 0; way < 2; ++way) {
          counts[way].emplace_back();
          places[way].emplace_back();
          Count at = 0;
          for (int i = 0; i < p; ++i) {
            counts[way].back().push_back(way == 0 ? count(r, i) : count(i, r));
            places[way].back().push_back(at);
            at += counts[way].back().back();
          }
          (way == 0 ? job[r].send : job[r].receive).resize(static_cast<std::size_t>(at));
        }
        const auto index = static_cast<std::size_t>(r);
        send.push_back(form == 3 ? Blocks(Slot::send, counts[0][index].data(), places[0][index].data(), 1)
                                 : Blocks(Slot::send, 2, 2));
        receive.push_back(form == 3 ? Blocks(Slot::receive, counts[1][index].data(), places[1][index].data(), 1)
                                    : Blocks(Slot::receive, 2, 2));
        for (int i = 0; i < p; ++i) put(job[r].send, send[index][i], block_of_values(r, i, count(r, i)));
      }
      job.record([&](Recorder& steps) {
        const auto r = static_cast<std::size_t>(steps.rank());
        if (form == 0) return alltoall_linear(steps, send[r], receive[r]);
        if (form == 2) return alltoall_bruck(steps, send[r], receive[r], 2);
        alltoall_pairwise(steps, send[r], receive[r]);
      });
      INFO("p " << p << " form " << form);
      REQUIRE(job.play() == "");
      for (int r = 0; r < p; ++r) {
        for (int i = 0; i < p; ++i) {
          if (i != r)
            REQUIRE(get(job[r].receive, receive[static_cast<std::size_t>(r)][i]) == block_of_values(i, r, count(i, r)));
        }
      }
    }
  }
}

TEST_CASE("reduce-scatter algorithms leave each rank the product of its block") {
  struct Case {
    std::function<void(Recorder&, Part, Part, const ListedSplit&)> algorithm;
    bool ordered;
  };
  const Case cases[] = {
      {[](auto& s, Part in, Part out, const ListedSplit& split) { reduce_scatter_linear(s, in, out, split); }, true},
      {[](auto& s, Part in, Part out, const ListedSplit& split) { reduce_scatter_pairwise(s, in, out, split); }, true},
      {[](auto& s, Part in, Part out, const ListedSplit& split) { reduce_scatter_circulant(s, in, out, split); }, false},
      {[](auto& s, Part in, Part out, const ListedSplit& split) { reduce_scatter_ring(s, in, out, split); }, false},
  };
  for (const Case& each : cases) {
    for (int p = 1; p <= kMostRanks; ++p) {
      for (int form = 0; form < 3; ++form) {  // one element each, uneven with empty ones, all at the last rank
        for (bool in_place : {false, true}) {
          std::vector<Count> borders{0};
          for (int i = 0; i < p; ++i)
            borders.push_back(borders.back() + (form == 0 ? 1 : form == 1 ? (i * 7) % 4 : i == p - 1 ? 9 : 0));
          const Count total = borders.back();
          const ListedSplit split(borders.data());
          Job job(p);
          for (int r = 0; r < p; ++r) {
            job[r].receive.resize(static_cast<std::size_t>(split.size(r)));
            (in_place ? job[r].receive : job[r].send) = vector_of(r, total);
          }
          job.record([&](Recorder& steps) {
            const Part input{in_place ? Slot::receive : Slot::send, 0, 0, total};
            each.algorithm(steps, input, Part{Slot::receive, 0, 0, split.size(steps.rank())}, split);
          });
          INFO("algorithm " << &each - cases << " p " << p << " form " << form << " in place " << in_place);
          REQUIRE(job.play() == "");
          for (int r = 0; r < p; ++r) {
            REQUIRE(product_error(job[r].receive, 0, split.size(r), split.begin(r), everyone(p), each.ordered) == "");
          }
        }
      }
    }
  }
}

TEST_CASE("scan algorithms combine the ranks up to one's own, in order") {
  for (int p = 1; p <= kMostRanks; ++p) {
    for (int form = 0; form < 8; ++form) {
      const bool exclusive = form % 2 == 1, doubling = form / 2 % 2 == 1, in_place = form / 4 == 1;
      const Count n = 3;
      Job job(p);
      for (int r = 0; r < p; ++r) {
        job[r].receive.resize(static_cast<std::size_t>(n));
        (in_place ? job[r].receive : job[r].send) = vector_of(r, n);
      }
      job.record([&](Recorder& steps) {
        const Part output{Slot::receive, 0, 0, n}, input{in_place ? Slot::receive : Slot::send, 0, 0, n};
        if (exclusive) return doubling ? exscan_doubling(steps, input, output) : exscan_linear(steps, input, output);
        doubling ? scan_doubling(steps, input, output) : scan_linear(steps, input, output);
      });
      INFO("p " << p << " form " << form);
      REQUIRE(job.play() == "");
      for (int r = exclusive ? 1 : 0; r < p; ++r) {
        REQUIRE(product_error(job[r].receive, 0, n, 0, everyone(exclusive ? r : r + 1), true) == "");
      }
    }
  }
}

TEST_CASE("a broken algorithm is found out") {
  // Breaks one step of a correct run in every possible way; each must be noticed.
  const int p = 6;
  const Count n = 7;
  const auto prepared = [&] {
    Job job(p);
    for (int r = 0; r < p; ++r) {
      job[r].send = vector_of(r, n);
      job[r].receive.resize(static_cast<std::size_t>(n));
    }
    job.record([&](Recorder& steps) {
      allreduce_circulant(steps, Part{Slot::send, 0, 0, n}, Part{Slot::receive, 0, 0, n});
    });
    return job;
  };
  const auto found = [&](Job& job) {
    if (job.play() != "") return true;
    for (int r = 0; r < p; ++r) {
      if (product_error(job[r].receive, 0, n, 0, everyone(p), false) != "") return true;
    }
    return false;
  };
  Job good = prepared();
  REQUIRE_FALSE(found(good));
  for (std::size_t i = 0; i < prepared()[2].steps.size(); ++i) {
    const RecordedStep::Kind kind = prepared()[2].steps[i].kind;
    // Two rounds of the all-gather may do no harm as one: only those that are followed by a reduction must stay.
    if (kind == RecordedStep::Kind::end_round &&
        (i + 1 == prepared()[2].steps.size() || prepared()[2].steps[i + 1].kind != RecordedStep::Kind::reduce)) {
      continue;
    }
    INFO("step " << i);
    Job dropped = prepared();
    dropped[2].steps.erase(dropped[2].steps.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK(found(dropped));
    if (kind != RecordedStep::Kind::send && kind != RecordedStep::Kind::recv) continue;
    Job misdirected = prepared();
    misdirected[2].steps[i].peer = (misdirected[2].steps[i].peer + 1) % p == 2 ? 3 : (misdirected[2].steps[i].peer + 1) % p;
    CHECK(found(misdirected));
    Job shifted = prepared();
    shifted[2].steps[i].a.offset += shifted[2].steps[i].a.offset == 0 ? 1 : -1;
    CHECK(found(shifted));
  }
}
