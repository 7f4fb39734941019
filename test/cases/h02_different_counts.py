# SPDX-License-Identifier: BSD-3-Clause
"""H02: ranks that give different counts to a collective get an error that names it; never a silent
wrong tail, never a hang."""
# run: timeout=240
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun

program = build_c("counts", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int in[4096], out[4096];
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 4096; i++) in[i] = i, out[i] = -1;
  const int odd = rank == atoi(argv[2]), mine = odd ? atoi(argv[3]) : atoi(argv[4]);
  if (!strcmp(argv[1], "allreduce")) MPI_Allreduce(in, out, mine, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!strcmp(argv[1], "bcast")) MPI_Bcast(in, mine, MPI_INT, 0, MPI_COMM_WORLD);
  if (!strcmp(argv[1], "reduce")) MPI_Reduce(in, out, mine, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (!strcmp(argv[1], "gather")) MPI_Gather(in, mine, MPI_INT, out, atoi(argv[4]), MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  puts("came through");
  return 0;
}
""")
# operation, MPI name, the odd rank, its count, that of the others
WRONG = [("allreduce", "MPI_Allreduce", 0, 100, 200), ("bcast", "MPI_Bcast", 1, 1142, 1088), ("bcast", "MPI_Bcast", 0, 1142, 1088),
         ("reduce", "MPI_Reduce", 1, 300, 200), ("gather", "MPI_Gather", 1, 300, 200)]
for transports in (None, "self,tcp"):
    for ranks in (3, 4):
        for operation, name, odd, its_count, count in WRONG:
            what = f"{operation}: rank {odd} of {ranks} gives {its_count}, the others {count}; transports {transports}"
            try:
                ran = mpirun("-n", ranks, program, operation, odd, its_count, count, env={"OMPI_LITE_TRANSPORTS": transports}, timeout=20)
            except subprocess.TimeoutExpired as late:
                expect(False, late, f"hangs: {what}")
            expect(ran.code != 0, ran, f"no error: {what}")
            expect(ran.code not in (134, 135, 139), ran, f"crashes: {what}")
            expect(name in ran.err, ran, f"the message does not name {name}: {what}")
