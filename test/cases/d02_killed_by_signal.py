# SPDX-License-Identifier: BSD-3-Clause
"""D02: a rank that a signal kills ends the job: right code, right rank, real pid, no survivor."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import re
import signal
import socket

from launching import Mark, build_c, expect, mpirun

program = build_c("die", r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, x = 1, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 2) { printf("pid %d\n", (int)getpid()); fflush(stdout); kill(getpid(), atoi(argv[1])); }
  for (;;) MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
""")
for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS, signal.SIGTERM):
    mark = Mark()
    ran = mpirun("-n", 4, program, int(number), env=mark.env)
    expect(ran.code == 128 + number, ran, f"exit code {128 + number}")
    expect(ran.seconds < 10, ran, "too slow")
    expect(mark.gone_within(0), mark.alive(), "survivors")
    pid = re.search(r"pid (\d+)", ran.out)[1]
    messages = [line for line in ran.err.splitlines() if line.startswith("mpirun: ")]
    expect(len(messages) == 1, ran, "one message")
    expect("rank 2 " in messages[0] and f"pid {pid})" in messages[0] and f"signal {int(number)} " in messages[0] and
           socket.gethostname() in messages[0], ran, "rank, host, pid and signal")
# A rank that is a script: its children go as well.
mark = Mark()
ran = mpirun("-n", 3, "sh", "-c", 'if [ $PMIX_RANK = 1 ]; then sleep 0.3; kill -9 $$; fi; (trap "" TERM; sleep 60; true) & sleep 60', env=mark.env)
expect(ran.code == 137 and mark.gone_within(0), (str(ran), mark.alive()), "children of a script survive")
mark = Mark()
ran = mpirun("-n", 3, "sh", "-c", 'if [ $PMIX_RANK = 1 ]; then sleep 0.3; kill -9 $$; fi; timeout 60 sleep 50; true', env=mark.env)
expect(ran.code == 137 and ran.seconds < 10 and mark.gone_within(0), (str(ran), mark.alive()), "children in a group of their own survive")
