# SPDX-License-Identifier: BSD-3-Clause
"""L01: more ranks than cores just run, and the ways to allow it change nothing."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun

hello = build_c("hello", r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("%d/%d\n", rank, size);
  MPI_Finalize();
  return 0;
}
""")
for ranks in (4, 20):
    for options in ([], ["--oversubscribe"], ["--map-by", ":OVERSUBSCRIBE"], ["--map-by", "core:OVERSUBSCRIBE"]):
        ran = mpirun("-n", ranks, *options, hello)
        expect(ran.code == 0, ran, f"{ranks} ranks do not run")
        expect(sorted(ran.out.split()) == sorted(f"{r}/{ranks}" for r in range(ranks)), ran, "not each rank once")
        expect(ran.err == "", ran, "words without need")
