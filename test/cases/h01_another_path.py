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
static void odd_call(const char *kind) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (!strcmp(kind, "bcast")) MPI_Bcast(in, 1000, MPI_INT, 0, MPI_COMM_WORLD);
  if (!strcmp(kind, "barrier")) MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(kind, "allgather")) MPI_Allgather(in, 1000, MPI_INT, out, 1000, MPI_INT, MPI_COMM_WORLD);
  if (!strcmp(kind, "max")) MPI_Allreduce(in, out, 1000, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (!strcmp(kind, "float")) MPI_Allreduce(in, out, 1000, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  if (!strcmp(kind, "count")) MPI_Allreduce(in, out, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!strcmp(kind, "ibcast")) MPI_Ibcast(in, 1000, MPI_INT, 0, MPI_COMM_WORLD, &request);
  if (!strcmp(kind, "ibarrier")) MPI_Ibarrier(MPI_COMM_WORLD, &request);
  if (!strcmp(kind, "start")) {
    MPI_Bcast_init(in, 1000, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 100; step++) {
    const int odd = step == 50 && rank == 1;
    if (odd)
      odd_call(argv[1]);
    else if (!strcmp(argv[2], "blocking"))
      MPI_Allreduce(in, out, 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    else if (!strcmp(argv[2], "reduce"))  /* a leaf sends and is done: nobody sends anything to the odd one */
      MPI_Reduce(in, out, 1000, MPI_INT, MPI_SUM, 2, MPI_COMM_WORLD);
    else {
      MPI_Request request;
      MPI_Iallreduce(in, out, 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (step % 3 == 2) MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
""")
# What rank 1 does in place of the others' call, and a name that the message must have beside theirs.
NAMES = {"bcast": "MPI_Bcast", "barrier": "MPI_Barrier", "allgather": "MPI_Allgather", "skip": "MPI_Barrier", "max": "MPI_MAX",
         "float": "MPI_FLOAT", "count": "10 x MPI_INT", "ibcast": "MPI_Bcast", "ibarrier": "MPI_Barrier", "start": "MPI_Bcast"}


def check(kind, others, transports, theirs):
    what = f"{kind} where the others are in {others}; transports {transports}"
    try:
        ran = mpirun("-n", 4, program, kind, others, env={"OMPI_LITE_TRANSPORTS": transports}, timeout=20)
    except subprocess.TimeoutExpired as late:
        expect(False, late, f"hangs: {what}")
    expect(ran.code != 0, ran, f"no error: {what}")
    expect(ran.code not in (134, 135, 139), ran, f"crashes: {what}")
    expect(theirs in ran.err or NAMES[kind] in ran.err, ran, f"the message names none of the calls: {what}")
    if kind != "skip":  # whoever skips a call may be a whole call ahead of the others
        expect(theirs in ran.err and NAMES[kind] in ran.err, ran, f"the message does not name both calls: {what}")
        expect("rank 1 is in" in ran.err or "where rank 1 is in" in ran.err, ran, f"the odd one is not named: {what}")


for transports in (None, "self,tcp"):
    for kind in NAMES:
        check(kind, "blocking", transports, "MPI_Allreduce")
    for kind in ("bcast", "ibcast", "barrier", "count"):
        check(kind, "nonblocking", transports, "MPI_Allreduce")
    for kind in ("bcast", "barrier"):
        check(kind, "reduce", transports, "MPI_Reduce")
# The check can be turned off; then only a watch for hangs helps, or the program goes on wrongly.
ran = mpirun("-n", 4, "--timeout", 3, program, "max", "blocking", env={"OMPI_LITE_CHECK_COLLECTIVES": "no"}, timeout=30)
expect("MPI_MAX" not in ran.err or ran.code == 124, ran, "compares although it was told not to")
