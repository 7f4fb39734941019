# SPDX-License-Identifier: BSD-3-Clause
"""S05: with 5 and 8 ranks on 2 cores an operation takes the context switches that it needs, not a multiple of them.

The unit is the time in which two processes on one core hand over to each other by sched_yield, measured beside it. An
operation of p ranks needs p switches on 2 cores at most, should each rank have to run twice: six times as many are allowed."""
# run: timeout=240
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun, run

hand_over = build_c("hand_over", r"""
#define _GNU_SOURCE
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e6 + t.tv_nsec * 1e-3; }
int main(void) {
  _Atomic int *turn = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  cpu_set_t set;
  double best = 1e9;
  CPU_ZERO(&set);
  CPU_SET(sched_getcpu(), &set);
  sched_setaffinity(0, sizeof set, &set);
  const int me = fork() == 0;
  for (int batch = 0; batch < 200; batch++) {
    double start = now();
    for (int i = 0; i < 100; i++) {
      while (atomic_load(turn) % 2 != me) sched_yield();
      atomic_fetch_add(turn, 1);
    }
    double t = (now() - start) / 200;
    if (batch > 10 && t < best) best = t;
  }
  if (me) _exit(0);
  wait(NULL);
  printf("%f\n", best);
}
""")
program = build_c("speed", r"""
#include <mpi.h>
#include <stdio.h>
static double batch(int kind, int rank, int size) {
  double value = 1, sum;
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (int i = 0; i < 100; i++) {
    if (kind == 0) MPI_Barrier(MPI_COMM_WORLD);
    if (kind == 1) MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (kind == 2) MPI_Sendrecv(&value, 1, MPI_DOUBLE, (rank + 1) % size, 0, &sum, 1, MPI_DOUBLE, (rank + size - 1) % size, 0,
                                MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return (MPI_Wtime() - start) * 1e4;
}
int main(int argc, char **argv) {
  int rank, size;
  double best[3] = {1e9, 1e9, 1e9};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 100; i++)
    for (int k = 0; k < 3; k++) {
      double t = batch(k, rank, size);
      MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (t < best[k]) best[k] = t;
    }
  if (rank == 0) printf("%f %f %f\n", best[0], best[1], best[2]);
  MPI_Finalize();
  return 0;
}
""")
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
unit = float(run([hand_over]).out)
for ranks in (5, 8):
    ran = mpirun("-n", ranks, program, timeout=100)
    expect(ran.code == 0, ran, f"{ranks} ranks")
    for name, us in zip(("barrier", "all-reduce of 8 bytes", "exchange around a ring"), map(float, ran.out.split())):
        print(f"{ranks} ranks: {name}: {us:.2f} us, {us / unit:.1f} hand-overs of {unit:.2f} us")
        expect(us < 6 * ranks * unit, ran, f"{name} of {ranks} ranks takes {us / unit:.0f} hand-overs of {unit:.2f} us")
