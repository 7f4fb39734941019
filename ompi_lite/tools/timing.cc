// SPDX-License-Identifier: BSD-3-Clause
// How long a collective takes on MPI_COMM_WORLD, as a program of the C interface sees it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ompi_lite/base/explain.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite {

namespace {

// The buffers of one size, and who the root is: it walks from call to call, so that no rank runs ahead of the others.
struct Call {
  int bytes, ranks, root;
  std::byte *send, *receive;
  const int *counts, *places;  // of equal blocks
  int floats() const { return bytes / 4; }
};

struct Timed {
  const char* name;
  void (*run)(const Call& c);
};

const MPI_Comm kWorld = MPI_COMM_WORLD;
const Timed kTimed[] = {
    {"barrier", [](const Call&) { MPI_Barrier(kWorld); }},
    {"bcast", [](const Call& c) { MPI_Bcast(c.send, c.bytes, MPI_BYTE, c.root, kWorld); }},
    {"gather", [](const Call& c) { MPI_Gather(c.send, c.bytes, MPI_BYTE, c.receive, c.bytes, MPI_BYTE, c.root, kWorld); }},
    {"gatherv",
     [](const Call& c) { MPI_Gatherv(c.send, c.bytes, MPI_BYTE, c.receive, c.counts, c.places, MPI_BYTE, c.root, kWorld); }},
    {"scatter", [](const Call& c) { MPI_Scatter(c.send, c.bytes, MPI_BYTE, c.receive, c.bytes, MPI_BYTE, c.root, kWorld); }},
    {"scatterv",
     [](const Call& c) {
       MPI_Scatterv(c.send, c.counts, c.places, MPI_BYTE, c.receive, c.bytes, MPI_BYTE, c.root, kWorld);
     }},
    {"allgather", [](const Call& c) { MPI_Allgather(c.send, c.bytes, MPI_BYTE, c.receive, c.bytes, MPI_BYTE, kWorld); }},
    {"allgatherv",
     [](const Call& c) { MPI_Allgatherv(c.send, c.bytes, MPI_BYTE, c.receive, c.counts, c.places, MPI_BYTE, kWorld); }},
    {"alltoall", [](const Call& c) { MPI_Alltoall(c.send, c.bytes, MPI_BYTE, c.receive, c.bytes, MPI_BYTE, kWorld); }},
    {"alltoallv",
     [](const Call& c) {
       MPI_Alltoallv(c.send, c.counts, c.places, MPI_BYTE, c.receive, c.counts, c.places, MPI_BYTE, kWorld);
     }},
    {"reduce", [](const Call& c) { MPI_Reduce(c.send, c.receive, c.floats(), MPI_FLOAT, MPI_SUM, c.root, kWorld); }},
    {"allreduce", [](const Call& c) { MPI_Allreduce(c.send, c.receive, c.floats(), MPI_FLOAT, MPI_SUM, kWorld); }},
    {"reduce_scatter_block",
     [](const Call& c) { MPI_Reduce_scatter_block(c.send, c.receive, c.floats() / c.ranks, MPI_FLOAT, MPI_SUM, kWorld); }},
    {"scan", [](const Call& c) { MPI_Scan(c.send, c.receive, c.floats(), MPI_FLOAT, MPI_SUM, kWorld); }},
    {"exscan", [](const Call& c) { MPI_Exscan(c.send, c.receive, c.floats(), MPI_FLOAT, MPI_SUM, kWorld); }},
};

// Seconds of one call: of `calls` in a row, the slowest rank's.
double batch(const Timed& timed, Call& call, int calls) {
  MPI_Barrier(kWorld);
  const double began = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    call.root = i % call.ranks;
    timed.run(call);
  }
  double took = (MPI_Wtime() - began) / calls;
  MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, kWorld);
  return took;
}

// The best of several batches that last some milliseconds each. The first ones let the communicator find its way.
double time_of(const Timed& timed, Call& call) {
  constexpr double kBatch = 4e-3;
  constexpr int kBatches = 7, kMostCalls = 1 << 16, kWarm = 60;
  const double once = batch(timed, call, kWarm);
  const int calls = std::clamp(static_cast<int>(kBatch / std::max(once, 1e-9)), 1, kMostCalls);
  double least = once;
  for (int i = 0; i < kBatches; ++i) least = std::min(least, batch(timed, call, calls));
  return least;
}

}  // namespace

bool can_time(std::string_view operation) {
  return std::ranges::any_of(kTimed, [&](const Timed& each) { return operation == each.name; });
}

int run_timed_job(std::string_view operation, const std::vector<std::int64_t>& sizes) {
  const Timed* timed = std::ranges::find_if(kTimed, [&](const Timed& each) { return operation == each.name; });
  if (timed == std::end(kTimed)) return 2;
  MPI_Init(nullptr, nullptr);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(kWorld, &rank);
  MPI_Comm_size(kWorld, &ranks);
  for (const std::int64_t bytes : sizes) {
    const std::size_t all = static_cast<std::size_t>(bytes) * static_cast<std::size_t>(ranks);
    std::vector<std::byte> send(all + 8), receive(all + 8);
    std::vector<int> counts(static_cast<std::size_t>(ranks), static_cast<int>(bytes)), places;
    for (int i = 0; i < ranks; ++i) places.push_back(i * static_cast<int>(bytes));
    Call call{static_cast<int>(bytes), ranks, 0, send.data(), receive.data(), counts.data(), places.data()};
    const double seconds = time_of(*timed, call);
    if (rank == 0) std::printf("%lld %.9f\n", static_cast<long long>(bytes), seconds);
    if (rank == 0) std::fflush(stdout);
  }
  MPI_Finalize();
  return 0;
}

}  // namespace ompi_lite
