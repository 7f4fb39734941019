# SPDX-License-Identifier: BSD-3-Clause
"""H01: a rank that takes another path through the collectives is told, with both calls; the job ends
instead of hanging or going on wrongly."""
# run: timeout=240
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun

program = build_c("path", r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
static int in[1000], out[4000];
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 100; step++) {
    const int odd = step == 50 && rank == 1;
    if (odd && !strcmp(argv[1], "bcast")) MPI_Bcast(in, 1000, MPI_INT, 0, MPI_COMM_WORLD);
    else if (odd && !strcmp(argv[1], "barrier")) MPI_Barrier(MPI_COMM_WORLD);
    else if (odd && !strcmp(argv[1], "allgather")) MPI_Allgather(in, 1000, MPI_INT, out, 1000, MPI_INT, MPI_COMM_WORLD);
    else if (!(odd && !strcmp(argv[1], "skip"))) MPI_Allreduce(in, out, 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (step % 3 == 2) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
""")
NAMES = {"bcast": "MPI_Bcast", "barrier": "MPI_Barrier", "allgather": "MPI_Allgather", "skip": "MPI_Barrier"}
# Over messages these two leave every rank waiting for one that is never sent: only a watch for hangs can tell.
OPEN = {("bcast", "self,tcp"), ("allgather", "self,tcp")}
for transports in (None, "self,tcp"):
    for kind, name in NAMES.items():
        if (kind, transports) in OPEN:
            continue
        what = f"{kind}; transports {transports}"
        try:
            ran = mpirun("-n", 4, program, kind, env={"OMPI_LITE_TRANSPORTS": transports}, timeout=20)
        except subprocess.TimeoutExpired as late:
            expect(False, late, f"hangs: {what}")
        expect(ran.code != 0, ran, f"no error: {what}")
        expect(ran.code not in (134, 135, 139), ran, f"crashes: {what}")
        expect("MPI_Allreduce" in ran.err or name in ran.err, ran, f"the message names none of the calls: {what}")
