# SPDX-License-Identifier: BSD-3-Clause
"""Collectives over hosts with different numbers of ranks, in any order of ranks, with any number of lanes: the right answer, the same
bits at every rank, and not more than needed between the hosts."""
# run: timeout=300
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import Hosts
from launching import build_c, expect

program = build_c("collectives", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int rank, size;
static void check(int right, const char *what, int n, int root) {
  if (right) return;
  printf("rank %d: wrong %s of %d, root %d\n", rank, what, n, root);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 9);
}
static void one(MPI_Comm comm, int n, int root) {
  double *in = malloc((n + 1) * sizeof *in), *out = malloc((n + 1) * sizeof *out), *first = malloc((n + 1) * sizeof *first);
  for (int i = 0; i < n; ++i) in[i] = 0.1 * (rank + 1) + i;
  MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm);
  for (int i = 0; i < n; ++i) check(out[i] > 0.1 * size * (size + 1) / 2 + (double)i * size - 1e-6 * (i + 1) &&
                                    out[i] < 0.1 * size * (size + 1) / 2 + (double)i * size + 1e-6 * (i + 1), "sum", n, 0);
  memcpy(first, out, n * sizeof *out);
  MPI_Bcast(first, n, MPI_DOUBLE, 0, comm);
  check(memcmp(first, out, n * sizeof *out) == 0, "bits", n, 0);
  memcpy(out, in, n * sizeof *in);
  MPI_Allreduce(MPI_IN_PLACE, out, n, MPI_DOUBLE, MPI_MAX, comm);
  for (int i = 0; i < n; ++i) check(out[i] == 0.1 * size + i, "maximum in place", n, 0);
  for (int i = 0; i < n; ++i) out[i] = -1;
  MPI_Request request;
  MPI_Ireduce(in, out, n, MPI_DOUBLE, MPI_MIN, root, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; ++i) check(out[i] == (rank == root ? 0.1 + i : -1), "minimum", n, root);
  for (int i = 0; i < n; ++i) out[i] = rank == root ? 7 * i : -1;
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
  MPI_Type_commit(&pair);
  if (n % 2 == 0 && rank % 2) MPI_Bcast(out, n / 2, pair, root, comm);
  else MPI_Bcast(out, n, MPI_DOUBLE, root, comm);
  MPI_Type_free(&pair);
  for (int i = 0; i < n; ++i) check(out[i] == 7 * i, "broadcast", n, root);
  MPI_Barrier(comm);
  free(in), free(out), free(first);
}
/* Blocks of n numbers: from rank r for rank t, number i. */
static double value(int r, int t, int i) { return r * 1e7 + t * 1e5 + i % 99991; }
static void blocks(MPI_Comm comm, int n) {
  double *a = malloc((n * size + 1) * sizeof *a), *b = malloc((n * size + 1) * sizeof *b);
  int *counts = malloc(size * sizeof *counts), *places = malloc(size * sizeof *places), end = 0;
  for (int i = 0; i < n; ++i) a[i] = value(rank, 0, i);
  MPI_Allgather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, comm);
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < n; ++i) check(b[r * n + i] == value(r, 0, i), "all-gather", n, r);
  for (int r = 0; r < size; ++r) counts[r] = r % 3 == 1 ? 0 : n - r % 2, places[r] = end, end += counts[r];
  if (n > 0) {
    for (int i = 0; i < counts[rank]; ++i) b[places[rank] + i] = value(rank, 1, i);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, places, MPI_DOUBLE, comm);
    for (int r = 0; r < size; ++r)
      for (int i = 0; i < counts[r]; ++i) check(b[places[r] + i] == value(r, 1, i), "all-gather of uneven blocks", n, r);
  }
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < n; ++i) a[r * n + i] = value(rank, r, i);
  MPI_Request request;
  MPI_Ialltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int r = 0; r < size; ++r)
    for (int i = 0; i < n; ++i) check(b[r * n + i] == value(r, rank, i), "all-to-all", n, r);
  MPI_Reduce_scatter_block(a, b, n, MPI_DOUBLE, MPI_SUM, comm);
  for (int i = 0; i < n; ++i) check(b[i] == 1e7 * size * (size - 1) / 2 + size * value(0, rank, i), "reduce-scatter", n, rank);
  if (n > 0) {
    MPI_Reduce_scatter(MPI_IN_PLACE, a, counts, MPI_DOUBLE, MPI_MAX, comm);
    for (int i = 0; i < counts[rank]; ++i) {
      const int at = places[rank] + i;
      check(a[i] == value(size - 1, at / n, at % n), "reduce-scatter of uneven blocks", n, rank);
    }
  }
  free(a), free(b), free(counts), free(places);
}
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int counts[] = {0, 1, 2, 7, 1000, 50001, 300000};
  for (int i = 0; i < 7; ++i)
    for (int root = 0; root < size; root += size > 3 && counts[i] > 1000 ? size - 1 : 1) one(MPI_COMM_WORLD, counts[i], root);
  for (int i = 0; i < 6; ++i) blocks(MPI_COMM_WORLD, counts[i]);
  MPI_Comm turned;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  MPI_Comm_rank(turned, &rank);
  one(turned, 1001, 1);
  blocks(turned, 1001);
  MPI_Comm_free(&turned);
  MPI_Finalize();
  return 0;
}
""")
hosts = Hosts(3)
WITH_LANES = ["allreduce", "reduce", "bcast", "allgather", "allgatherv", "alltoall", "reduce_scatter", "reduce_scatter_block"]
FORCED = ["", "barrier=hosts,allreduce=hosts_each", *(",".join(f"{name}=hosts{lanes}" for name in WITH_LANES) for lanes in ("", ":1", ":2"))]
for places in ("n0:2,n1:2", "n0:3,n1:1,n2:2", "n1:1,n2:1"):
    for order in ("slot", "node"):
        for forced in FORCED:
            ran = hosts.mpirun("--host", places, "--map-by", order, *(["--set", f"coll={forced}"] if forced else []), program, timeout=100)
            expect(ran.code == 0 and ran.out == "", ran, f"{places} by {order}, {forced or 'the usual'}")
hosts.close()
