# SPDX-License-Identifier: BSD-3-Clause
"""D12 (one host): a rank that is stopped for some seconds and continued costs nothing but the time."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import signal
import time

from launching import TESTDIR, build_c, expect, start_mpirun, wait_for_file

program = build_c("loop", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, size, n = 1 << 18;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
  double begin = MPI_Wtime();
  int go = 1;
  for (int turn = 0; go; ++turn) {
    for (int i = 0; i < n; ++i) in[i] = turn + rank;
    MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) if (out[i] != turn * size + size * (size - 1) / 2) return 5;
    if (rank == 1 && turn == 3) { FILE *f = fopen("pid", "w"); fprintf(f, "%d", (int)getpid()); fclose(f); rename("pid", "ready"); }
    go = MPI_Wtime() - begin < 6;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
""")
job = start_mpirun("-n", 3, program)
expect(wait_for_file(TESTDIR / "ready"), job, "does not start")
pid = int((TESTDIR / "ready").read_text())
os.kill(pid, signal.SIGSTOP)
time.sleep(4)
expect(job.poll() is None, job.returncode, "the job ended while a rank slept")
os.kill(pid, signal.SIGCONT)
out, err = job.communicate(timeout=60)
expect(job.returncode == 0 and err == b"", (job.returncode, out, err), "the job does not simply continue")
