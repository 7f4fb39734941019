// SPDX-License-Identifier: BSD-3-Clause
// The larger collectives of a node, played in one thread: the ranks take steps in any order, none of them ever waits, all
// end with the right data; and the test notices when a rank stands still, gives other data or makes another call.
#include "coll/node/walk.h"

#include <barrier>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "coll/coll.h"
#include "coll/compare.h"
#include "test/support/world.h"

using namespace ompi_lite;
using namespace ompi_lite::coll;
using node::Region;
using node::Walk;

namespace {

// x -> m x + c, modulo 2^32: composition is associative, not commutative.
struct Affine {
  std::uint32_t m, c;
  bool operator==(const Affine&) const = default;
};
Affine after(Affine a, Affine b) { return {a.m * b.m, a.c * b.m + b.c}; }
void compose(void* in, void* inout, int* n, MPI_Datatype*) {
  for (int i = 0; i < *n; ++i)
    static_cast<Affine*>(inout)[i] = after(static_cast<Affine*>(in)[i], static_cast<Affine*>(inout)[i]);
}

Affine value(int rank, std::size_t i) {
  return {static_cast<std::uint32_t>(2 * rank + 3), static_cast<std::uint32_t>(rank * 1000003u + i * 17u)};
}

// The data of one rank.
struct Data {
  std::vector<Affine> send, receive;
};

// What all ranks call, in elements, and what each must have got.
struct Job {
  Operation operation;
  int p, root;
  std::size_t count;
  bool in_place;
  std::vector<int> counts, places;  // of the uneven ones

  std::size_t n(int rank) const {
    return counts.empty() ? count : static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
  }
  std::size_t place(int rank) const {
    return counts.empty() ? count * static_cast<std::size_t>(rank)
                          : static_cast<std::size_t>(places[static_cast<std::size_t>(rank)]);
  }
  std::size_t all() const {
    std::size_t sum = 0;
    for (int r = 0; r < p; ++r) sum += n(r);
    return sum;
  }
  bool reduces() const { return operation >= Operation::reduce; }
  bool scatters() const { return operation == Operation::reduce_scatter || operation == Operation::reduce_scatter_block; }
  Affine product(std::size_t i) const {
    Affine product = value(0, i);
    for (int r = 1; r < p; ++r) product = after(product, value(r, i));
    return product;
  }

  Data data_of(int rank) const;
  node::Call call_of(int rank, Data& data, Op& op) const;
  bool right(int rank, const Data& data) const;
};

Data Job::data_of(int rank) const {
  Data data;
  data.send.resize(count * static_cast<std::size_t>(p) + all());
  data.receive.assign(data.send.size(), Affine{});
  for (std::size_t i = 0; i < data.send.size(); ++i) data.send[i] = value(rank, i);
  if (operation == Operation::bcast && rank == root) data.receive = data.send;
  if (!in_place) return data;
  const bool all_blocks = operation == Operation::alltoall || reduces();
  if (all_blocks) {
    data.receive = data.send;
  } else if (operation != Operation::scatter) {
    std::copy_n(data.send.begin(), n(rank), data.receive.begin() + static_cast<std::ptrdiff_t>(place(rank)));
  }
  return data;
}

node::Call Job::call_of(int rank, Data& data, Op& op) const {
  Datatype& type = datatype_of(MPI_INT64_T);
  const auto elements = static_cast<Count>(count);
  node::Call call{operation, Buffer(data.send.data(), elements, &type), Buffer(data.receive.data(), elements, &type), root};
  call.in_place = in_place && (rank == root || (operation != Operation::gather && operation != Operation::scatter &&
                                                operation != Operation::reduce));
  if (!counts.empty()) {
    call.counts = CountSpan(counts.data());
    if (!reduces()) call.displacements = CountSpan(places.data());
    call.send.count = static_cast<Count>(n(rank));
  }
  if (!reduces()) return call;
  call.op = &op;
  if (scatters()) call.send.count = call.receive.count = static_cast<Count>(all());
  if (call.in_place) call.send.data = call.receive.data;
  return call;
}

bool Job::right(int rank, const Data& data) const {
  const bool at_root = rank == root;
  const auto holds = [&](std::size_t at, std::size_t length, const std::function<Affine(std::size_t)>& wanted) {
    for (std::size_t i = 0; i < length; ++i)
      if (data.receive[at + i] != wanted(i)) return false;
    return true;
  };
  switch (operation) {
    case Operation::bcast:
      return holds(0, count, [&](std::size_t i) { return value(root, i); });
    case Operation::scatter:
      return (at_root && in_place) || holds(0, count, [&](std::size_t i) { return value(root, place(rank) + i); });
    case Operation::gather:
    case Operation::allgather:
    case Operation::allgatherv:
      for (int r = 0; r < p; ++r) {
        if (operation == Operation::gather && !at_root) continue;
        if (!holds(place(r), n(r), [&](std::size_t i) { return value(r, i); })) return false;
      }
      return true;
    case Operation::alltoall:
      for (int r = 0; r < p; ++r)
        if (!holds(place(r), n(r), [&](std::size_t i) { return value(r, place(rank) + i); })) return false;
      return true;
    case Operation::reduce:
      return !at_root || holds(0, count, [&](std::size_t i) { return product(i); });
    case Operation::allreduce:
      return holds(0, count, [&](std::size_t i) { return product(i); });
    default:
      return holds(0, n(rank), [&](std::size_t i) { return product(place(rank) + i); });
  }
}

enum class Fault { none, stands_still, other_data, other_call };

// The walks of all ranks, advanced in random order. "" or what went wrong.
std::string play(const std::vector<Region*>& regions, const Job& job, std::mt19937& random, Fault fault) {
  using Function = void (*)(void*, void*, int*, MPI_Datatype*);
  static Op op(Callback{reinterpret_cast<void (*)()>(static_cast<Function>(compose)), nullptr}, OpForm::count_int, false);
  static int tag = 0;
  ++tag;
  const auto p = static_cast<std::size_t>(job.p);
  const std::size_t odd = static_cast<std::size_t>(job.root);  // the rank that has the fault: all need something of it
  std::vector<Data> data(p);
  std::vector<std::unique_ptr<Walk>> walks(p);
  for (std::size_t r = 0; r < p; ++r) {
    const int rank = static_cast<int>(r);
    data[r] = job.data_of(rank);
    if (fault == Fault::other_data && r == odd) {
      for (Affine& each : data[r].send) each.c ^= 1;
      for (Affine& each : data[r].receive) each.c ^= 1;
    }
    const bool other = fault == Fault::other_call && r == odd;
    regions[r]->declare(tag, sign(job.operation, job.root + (other ? 1 : 0), 8, &datatype_of(MPI_INT64_T)));
    walks[r] = std::make_unique<Walk>(*regions[r], job.call_of(rank, data[r], op));
  }
  std::size_t in_vain = 0;
  const auto over = [&] { return std::all_of(walks.begin(), walks.end(), [](const auto& walk) { return walk->over(); }); };
  while (!over()) {
    const std::size_t r = random() % p;
    bool moved = false;
    if (!(fault == Fault::stands_still && r == odd))
      if (const Error error = walks[r]->advance(moved)) return error.sentence();
    in_vain = moved ? 0 : in_vain + 1;
    if (in_vain > 200 * p) return "nobody gets on";
  }
  for (int r = 0; r < job.p; ++r)
    if (!job.right(r, data[static_cast<std::size_t>(r)])) return "rank " + std::to_string(r) + " has other data";
  return {};
}

Job job_of(Operation operation, int p, std::mt19937& random) {
  constexpr std::size_t counts[] = {1, 7, 600, 5000, 40000};
  Job job{operation, p, static_cast<int>(random() % static_cast<unsigned>(p)), counts[random() % 5], random() % 2 == 0,
          {},        {}};
  if (operation != Operation::allgatherv && operation != Operation::reduce_scatter) return job;
  for (int r = 0, place = 0; r < p; ++r) {
    job.counts.push_back(static_cast<int>(random() % 3 * job.count / 2));
    job.places.push_back(place);
    place += job.counts.back();
  }
  return job;
}

constexpr Operation kOperations[] = {Operation::bcast,          Operation::gather,
                                     Operation::scatter,        Operation::allgather,
                                     Operation::allgatherv,     Operation::alltoall,
                                     Operation::reduce,         Operation::allreduce,
                                     Operation::reduce_scatter, Operation::reduce_scatter_block};

// Regions of p ranks with rings, handed to `body` in one thread.
std::string with_regions(int p, const std::function<void(test::Rank&, const std::vector<Region*>&)>& body) {
  std::barrier meet(p);
  std::vector<Region*> regions(static_cast<std::size_t>(p));
  std::vector<Segment> segments;
  for (int r = 0; r < p; ++r) {
    Result<Segment> made = r == 0 ? Segment::create(0, p) : Segment::attach_path(segments.front().path(), r, p);
    if (!made) return made.error().sentence();
    segments.push_back(std::move(*made));
  }
  return test::run_ranks(p, {}, [&](test::Rank& rank) {
    rank.share(segments[static_cast<std::size_t>(rank.rank())]);
    const std::unique_ptr<Region> region = Region::make(rank.comm(), sign(Operation::barrier));
    rank.check(region != nullptr && !region->make_cells() && region->has_cells(), "no region");
    regions[static_cast<std::size_t>(rank.rank())] = region.get();
    meet.arrive_and_wait();
    if (rank.rank() == 0) body(rank, regions);
    meet.arrive_and_wait();
  });
}

TEST_CASE("ranks walk in any order and never wait", "[coll][walk]") {
  for (const int p : {2, 3, 4, 7}) {
    const std::string complaints = with_regions(p, [&](test::Rank& rank, const std::vector<Region*>& regions) {
      std::mt19937 random(static_cast<unsigned>(p));
      for (int round = 0; round < 6; ++round) {
        for (const Operation operation : kOperations) {
          const Job job = job_of(operation, p, random);
          const std::string wrong = play(regions, job, random, Fault::none);
          rank.check(wrong.empty(), (std::string(mpi_name(operation)) + ": " + wrong).c_str(),
                     static_cast<long long>(job.count), job.root);
          if (!wrong.empty()) return;
        }
      }
    });
    CHECK(complaints == "");
  }
}

TEST_CASE("a walk that lacks a rank, gets other data or meets another call is found out", "[coll][walk]") {
  for (const Operation operation : kOperations) {
    for (const Fault fault : {Fault::stands_still, Fault::other_data, Fault::other_call}) {
      const std::string complaints = with_regions(3, [&](test::Rank& rank, const std::vector<Region*>& regions) {
        std::mt19937 random(1);
        Job job{operation, 3, 1, 600, false, {}, {}};
        if (operation == Operation::allgatherv || operation == Operation::reduce_scatter)
          job.counts = {600, 300, 20}, job.places = {0, 600, 900};
        // Nothing of the root of these goes to others: they do not see what it does, but it waits for them.
        const bool to_root = operation == Operation::gather || operation == Operation::reduce;
        if (to_root && fault == Fault::other_data && operation == Operation::gather) return;
        rank.check(!play(regions, job, random, fault).empty(), mpi_name(operation), static_cast<int>(fault));
      });
      CHECK(complaints == "");
    }
  }
}

}  // namespace
