# SPDX-License-Identifier: BSD-3-Clause
"""H05: a call before MPI_Init or after MPI_Finalize is told and ends the job."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun

program = build_c("outside", r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank = -1;
  if (!strcmp(argv[1], "before")) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  if (!strcmp(argv[1], "after")) MPI_Barrier(MPI_COMM_WORLD);
  sleep(strcmp(argv[1], "good") ? 100 : 0);
  return 0;
}
""")
for when, word in (("before", "MPI_Init"), ("after", "MPI_Finalize")):
    ran = mpirun("-n", 2, program, when)
    expect(ran.code != 0 and ran.seconds < 15, ran, "the job does not end")
    expect("MPI_Barrier" in ran.err and word in ran.err, ran, "the message names function and cause")
ran = mpirun("-n", 2, program, "good")
expect(ran.code == 0, ran, "a good program")
