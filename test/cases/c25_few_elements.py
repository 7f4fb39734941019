# SPDX-License-Identifier: BSD-3-Clause
"""C25: a broadcast and an all-reduce of one element: no step in time between neighbouring numbers of ranks."""
# run: timeout=240
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun

program = build_c("one_element", r"""
#include <mpi.h>
#include <stdio.h>
static double once(int reduce) {
  int value = 1, sum;
  double start = MPI_Wtime();
  for (int i = 0; i < 100; i++) {
    if (reduce) MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else MPI_Bcast(&value, 1, MPI_INT, i % 2, MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - start) * 1e4;
}
int main(int argc, char **argv) {
  int rank;
  double best[2] = {1e9, 1e9};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 60; i++)
    for (int k = 0; k < 2; k++) {
      double t = once(k);
      MPI_Allreduce(MPI_IN_PLACE, &t, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (t < best[k]) best[k] = t;
    }
  if (rank == 0) printf("%f %f\n", best[0], best[1]);
  MPI_Finalize();
  return 0;
}
""")
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
counts = [4, 5, 6, 7, 8, 9]
times = {}
for ranks in counts:
    ran = mpirun("-n", ranks, program, timeout=100)
    expect(ran.code == 0, ran, f"{ranks} ranks")
    times[ranks] = [float(t) for t in ran.out.split()]
for low, high in zip(counts, counts[1:]):
    for kind, name in enumerate(("broadcast", "all-reduce")):
        a, b = times[low][kind], times[high][kind]
        expect(max(a, b) < 10 * min(a, b), times, f"{name}: {a:.2f} us with {low} ranks, {b:.2f} us with {high}")
