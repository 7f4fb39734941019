# SPDX-License-Identifier: BSD-3-Clause
"""O08: what a rank wrote before it died is shown, then one message that names rank and cause."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun

program = build_c("words", r"""
#include <mpi.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3 || rank != 2; ++i) {
    printf("rank %d line %d\n", rank, i);
    fflush(stdout);
    usleep(rank == 2 ? 30000 : 100000);
  }
  printf("%s", strcmp(argv[1], "piece") ? "boom\n" : "boom");
  fflush(stdout);
  if (!strcmp(argv[1], "assert")) assert(0);
  MPI_Abort(MPI_COMM_WORLD, 9);
  return 0;
}
""")
for way, code, cause in (("abort", 9, "code 9"), ("piece", 9, "code 9"), ("assert", 134, "signal 6")):
    for turn in range(5):
        for options in ([], ["--tag-output"]):
            ran = mpirun("-n", 4, *options, program, way)
            expect(ran.code == code, ran, f"exit code {code}")
            expect("boom" in ran.out, ran, "the last words are lost")
            messages = [line for line in ran.err.splitlines() if line.startswith("mpirun: ")]
            expect(len(messages) == 1 and "rank 2 " in messages[0] and cause in messages[0], ran, "one message about rank 2")
            expect(way != "assert" or "Assertion" in ran.err, ran, "the assertion is lost")
