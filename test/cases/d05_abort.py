# SPDX-License-Identifier: BSD-3-Clause
"""D05: MPI_Abort ends everyone; its code is mpirun's, and never looks like success."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import Mark, build_c, expect, mpirun

program = build_c("abort", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, x = 1, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    usleep(100000);
    MPI_Abort(!strcmp(argv[3], "self") ? MPI_COMM_SELF : MPI_COMM_WORLD, atoi(argv[1]));
    printf("code after MPI_Abort runs\n");
    fflush(stdout);
  }
  if (!strcmp(argv[2], "collective")) for (;;) MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  sleep(100);
  return 0;
}
""")
for code, seen in ((7, 7), (0, None), (256, None), (1, 1), (300, 44), (-1, 255)):
    for way in ("collective", "sleep"):
        mark = Mark()
        ran = mpirun("-n", 3, program, code, way, "world", env=mark.env)
        expect(ran.code == seen if seen else ran.code != 0, ran, f"exit code {seen}")
        expect(ran.seconds < 5 and mark.gone_within(0), (str(ran), mark.alive()), "not everyone is gone")
        expect("code after" not in ran.out, ran, "MPI_Abort returned")
        expect(ran.err.count("mpirun: ") == 1 and "rank 1 " in ran.err and f"code {code}" in ran.err, ran, "one message")
ran = mpirun("-n", 2, program, 6, "sleep", "self")
expect(ran.code == 6, ran, "MPI_Abort on MPI_COMM_SELF")
