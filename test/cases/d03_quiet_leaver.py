# SPDX-License-Identifier: BSD-3-Clause
"""D03: a rank that leaves without MPI_Finalize ends the job, also with exit code 0."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import Mark, build_c, expect, mpirun

program = build_c("leave", r"""
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) exit(0);
  if (!strcmp(argv[1], "barrier")) MPI_Barrier(MPI_COMM_WORLD);
  for (;;) sleep(1);
}
""")
for way in ("barrier", "loop"):
    mark = Mark()
    ran = mpirun("-n", 3, program, way, env=mark.env)
    expect(ran.code != 0 and ran.seconds < 10, ran, "not ended")
    expect("rank 0 " in ran.err and "MPI_Finalize" in ran.err and ran.err.count("mpirun: ") == 1, ran, "one message")
    expect(mark.gone_within(0), mark.alive(), "survivors")
# One that never calls MPI_Init while others wait for it there.
ran = mpirun("-n", 3, "sh", "-c", f'[ $PMIX_RANK = 1 ] || exec {program} loop', timeout=30)
expect(ran.code != 0 and "rank 1 " in ran.err and "MPI_Init" in ran.err, ran, "a rank that never comes")
