// SPDX-License-Identifier: BSD-3-Clause
// What more ranks cost: the time and memory of new communicators, a barrier, and the memory of a rank. Rank 0 prints one line:
// # growth, ranks, MB of a rank after start, MB of a rank that has talked to all others, us of MPI_Comm_dup, KB of a new communicator a rank, KB of one
// that has met in barriers, us of a barrier. Memory is the rank's share of what it has mapped and touched; the least over
// batches is the time, of the slowest rank.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { made_at_once = 20, batches = 7, barriers_before = 5 };

// Pages count for each process that has mapped them in equal parts.
static double share_kb(void) {
  char line[128];
  long kb = 0;
  FILE* file = fopen("/proc/self/smaps_rollup", "r");
  if (!file) return 0;
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "Pss: %ld", &kb) == 1) break;
  fclose(file);
  return (double)kb;
}

static double over_ranks(double value, MPI_Op op) {
  double result = 0;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  return result;
}

static double mean_kb(int ranks) {
  MPI_Barrier(MPI_COMM_WORLD);
  return over_ranks(share_kb(), MPI_SUM) / ranks;
}

static double barrier_us(void) {
  enum { calls = 50 };
  double least = 1e30;
  for (int batch = 0; batch < batches; batch++) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; i++) MPI_Barrier(MPI_COMM_WORLD);
    const double spent = over_ranks((MPI_Wtime() - start) / calls * 1e6, MPI_MAX);
    if (spent < least) least = spent;
  }
  return least;
}

int main(int argc, char** argv) {
  static MPI_Comm comms[made_at_once];
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int few = argc > 1 && strcmp(argv[1], "--memory") == 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double started = mean_kb(ranks);
  if (few) {
    if (rank == 0) printf("# growth\t%d\t%.2f\n", ranks, started / 1024);
    MPI_Finalize();
    return 0;
  }
  char* blocks = calloc((size_t)ranks * 2, 64);
  MPI_Alltoall(blocks, 64, MPI_BYTE, blocks + (size_t)ranks * 64, 64, MPI_BYTE, MPI_COMM_WORLD);
  for (int step = 1; step < ranks; step++)  // a message to each
    MPI_Sendrecv(blocks, 64, MPI_BYTE, (rank + step) % ranks, 0, blocks + 64, 64, MPI_BYTE, (rank + ranks - step) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double talked = mean_kb(ranks);
  double dup = 1e30, new_kb = 1e30, used_kb = 1e30;
  for (int batch = 0; batch < batches; batch++) {
    const double before = mean_kb(ranks), start = MPI_Wtime();
    for (int i = 0; i < made_at_once; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    const double spent = over_ranks((MPI_Wtime() - start) / made_at_once * 1e6, MPI_MAX);
    const double made = mean_kb(ranks);
    for (int i = 0; i < made_at_once; i++)
      for (int k = 0; k < barriers_before; k++) MPI_Barrier(comms[i]);
    const double used = mean_kb(ranks);
    for (int i = 0; i < made_at_once; i++) MPI_Comm_free(&comms[i]);
    if (spent < dup) dup = spent;
    // The first batch alone takes memory that is not there yet; later ones take what was given back.
    if (batch == 0) new_kb = (made - before) / made_at_once, used_kb = (used - before) / made_at_once;
  }
  const double barrier = barrier_us();
  if (rank == 0)
    printf("# growth\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", ranks, started / 1024, talked / 1024, dup, new_kb, used_kb, barrier);
  free(blocks);
  MPI_Finalize();
  return 0;
}
