# SPDX-License-Identifier: BSD-3-Clause
"""H01: a job that stands still is reported: who is in which call, who is elsewhere, and the cycle if there is one; on wish, at a
time limit, and at any time by SIGUSR2. A rank that dies is reported with its last call."""
# run: timeout=240
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import Mark, build_c, expect, mpirun, start_mpirun

program = build_c("stuck", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static double in[100], out[100];
static int is(char **argv, const char *kind) { return !strcmp(argv[1], kind); }
int main(int argc, char **argv) {
  int rank, size, x = 0, flag = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 50; step++) MPI_Allreduce(in, out, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (is(argv, "cycle")) MPI_Recv(&x, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (is(argv, "wait")) {
    MPI_Irecv(&x, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (is(argv, "poll")) {
    MPI_Irecv(&x, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, &request);
    while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  }
  if (is(argv, "named")) {
    MPI_Comm pairs;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &pairs);
    MPI_Comm_set_name(pairs, "pairs");
    if (rank == 3) MPI_Recv(&x, 1, MPI_INT, 0, 9, pairs, MPI_STATUS_IGNORE);
    MPI_Bcast(&x, 1, MPI_INT, 1, pairs);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 1 && is(argv, "recv")) MPI_Recv(&x, 1, MPI_INT, 3, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1 && is(argv, "finalize")) MPI_Finalize();
  if (rank == 1 && is(argv, "leave")) return 0;
  if (rank == 1 && is(argv, "kill")) abort();
  if (rank == 1 && is(argv, "compute")) for (;;) pause();
  MPI_Allreduce(in, out, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
""")

CYCLE = "a cycle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0"
CALL = "MPI_Allreduce #51 of MPI_COMM_WORLD (100 x MPI_DOUBLE, MPI_SUM)"
# What stands still, with how many ranks, and what the report must say.
STUCK = [("cycle", 3, [CYCLE, "rank 1 in MPI_Recv of MPI_COMM_WORLD (source 2, tag 7, 1 x MPI_INT)"]),
         ("wait", 3, [CYCLE, "rank 0 in MPI_Wait, which waits for a receive from rank 1, tag 7, on MPI_COMM_WORLD"]),
         ("poll", 3, [CYCLE, "polling with MPI_Test"]),
         ("recv", 4, [f"ranks 0, 2, 3 in {CALL} since", "rank 1 in MPI_Recv of MPI_COMM_WORLD (source 3, tag 5, 1 x MPI_INT) since",
                      "rank 1 is not in MPI_Allreduce #51 of MPI_COMM_WORLD", "rank 1 waits for rank 3 waits for rank 1"]),
         ("compute", 4, [f"ranks 0, 2, 3 in {CALL}", "rank 1 outside of MPI, after MPI_Allreduce #50 of MPI_COMM_WORLD",
                         "rank 1 is not in MPI_Allreduce #51"]),
         ("named", 4, ["of pairs (source 0, tag 9, 1 x MPI_INT)", "rank 2 in MPI_Bcast #1 of pairs (root 1, 1 x MPI_INT)",
                       "rank 2 waits for rank 3 waits for rank 2"])]
for transports in (None, "self,tcp"):
    for kind, ranks, wanted in STUCK:
        ran = mpirun("-n", ranks, "--report-hang", "1s", "--timeout", 5, program, kind, env={"OMPI_LITE_TRANSPORTS": transports}, timeout=60)
        expect(ran.code == 124, ran, f"{kind}: the job is not ended by the report, but by the limit")
        report, _, last = ran.err.partition("the time limit of")
        expect("nothing has moved for 1 s" in report, ran, f"{kind}: no report; transports {transports}")
        expect(report.count("nothing has moved") == 1, ran, f"{kind}: one hang, one report; transports {transports}")
        for text in wanted:
            expect(text in report, ran, f"{kind}: the report says {text!r}; transports {transports}")
            expect(text in last, ran, f"{kind}: the message at the limit says {text!r}; transports {transports}")
# By the environment; and a job that gets on is not reported.
ran = mpirun("-n", 3, "--timeout", 4, program, "cycle", env={"OMPI_LITE_REPORT_HANG": "1s"}, timeout=60)
expect("nothing has moved for 1 s" in ran.err, ran, "the variable")
ran = mpirun("-n", 2, "--report-hang", "1s", program, "nothing")
expect(ran.code == 0 and ran.err == "", ran, "a job that is well")
ran = mpirun("-n", 1, "--report-hang", "soon", program, "nothing")
expect(ran.code == 2 and "--report-hang" in ran.err and "soon" in ran.err, ran, "a time that is none")
# At any time: the ranks do not notice.
mark = Mark()
job = start_mpirun("-n", 3, "--timeout", 30, program, "cycle", env={**os.environ, **mark.env})
time.sleep(2)
job.send_signal(signal.SIGUSR2)
time.sleep(1)
job.send_signal(signal.SIGTERM)
out, err = job.communicate(timeout=30)
expect(b"where the ranks are:" in err and CYCLE.encode() in err, err, "SIGUSR2")
# The last call of a rank that dies.
ran = mpirun("-n", 4, program, "kill", timeout=60)
expect(ran.code == 134 and "rank 1 " in ran.err and "after MPI_Allreduce #50 of MPI_COMM_WORLD" in ran.err, ran, "killed outside of MPI")
ran = mpirun("-n", 4, program, "leave", timeout=60)
expect(ran.code == 1 and "rank 1 " in ran.err and "after MPI_Allreduce #50 of MPI_COMM_WORLD" in ran.err, ran, "left without MPI_Finalize")
# Nothing is recorded: nothing is known, and that is said.
ran = mpirun("-n", 2, "--timeout", 2, program, "cycle", env={"OMPI_LITE_RECORDED_CALLS": "0"}, timeout=60)
expect(ran.code == 124 and "without a flight record" in ran.err, ran, "no record")
