# SPDX-License-Identifier: BSD-3-Clause
"""C10 (three hosts, two ranks each): scatter, gather and their v-forms where the arguments that do not count for a rank are zero or null:
every rank gets its block, whatever algorithm runs."""
# run: timeout=200
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import Hosts
from launching import build_c, expect, run

program = build_c("scatter", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static int rank, size;
static void check(int right, const char *what, int n, int root) {
  if (right) return;
  printf("rank %d: wrong %s of %d, root %d\n", rank, what, n, root);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 9);
}
int main(int argc, char **argv) {
  const int counts[] = {1, 1000, 30000};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int k = 0; k < 3; k++)
    for (int root = 0; root < size; root++) {
      const int n = counts[k], here = rank == root;
      double *all = malloc(sizeof(double) * (here ? size * n : 1)), *mine = malloc(sizeof(double) * n), nothing = -1;
      for (int i = 0; here && i < size * n; i++) all[i] = root * 1e6 + i;
      MPI_Scatter(here ? all : &nothing, here ? n : 0, here ? MPI_DOUBLE : MPI_DATATYPE_NULL, mine, n, MPI_DOUBLE, root, MPI_COMM_WORLD);
      for (int i = 0; i < n; i++) check(mine[i] == root * 1e6 + rank * n + i, "scatter", n, root);
      for (int i = 0; i < n; i++) mine[i] += 0.5;
      MPI_Gather(mine, n, MPI_DOUBLE, here ? all : NULL, here ? n : 0, here ? MPI_DOUBLE : MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
      for (int i = 0; here && i < size * n; i++) check(all[i] == root * 1e6 + i + 0.5, "gather", n, root);
      int *lengths = malloc(sizeof(int) * size), *places = malloc(sizeof(int) * size);
      for (int i = 0; i < size; i++) lengths[i] = i % 2 ? n : 0, places[i] = i * n;
      MPI_Scatterv(here ? all : NULL, here ? lengths : NULL, here ? places : NULL, here ? MPI_DOUBLE : MPI_DATATYPE_NULL, mine,
                   rank % 2 ? n : 0, MPI_DOUBLE, root, MPI_COMM_WORLD);
      for (int i = 0; rank % 2 && i < n; i++) check(mine[i] == root * 1e6 + rank * n + i + 0.5, "scatterv", n, root);
      free(all), free(mine), free(lengths), free(places);
    }
  MPI_Finalize();
  return 0;
}
""")
hosts = Hosts(3)
shown = run([pathlib.Path(os.environ["PREFIX"]) / "bin/ompi_lite_info", "--knobs", "coll"])
known = dict(line.strip().split(": ", 1) for line in shown.out.splitlines()[2:])
FORCED = [""] + [f"{operation}={name.split(':')[0]}" for operation in ("scatter", "gather", "scatterv") for name in known[operation].split(", ")]
for order in ("slot", "node"):
    for forced in FORCED:
        ran = hosts.mpirun("--host", "n0:2,n1:2,n2:2", "--map-by", order, *(["--set", f"coll={forced}"] if forced else []), program, timeout=60)
        expect(ran.code == 0 and ran.out == "", ran, f"by {order}, {forced or 'the usual'}")
hosts.close()
