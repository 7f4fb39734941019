# SPDX-License-Identifier: BSD-3-Clause
"""H01 (two hosts): a hang is reported once, with the ranks of both hosts, and not while a host gets on."""
# run: timeout=120
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import Hosts
from launching import TESTDIR, build_c, expect, wait_for_files

program = build_c("hangs", r"""
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, size, sum, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 10; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 3 && strcmp(argv[1], "hang") == 0) MPI_Recv(&one, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 3) {  /* gets on, and so does the job */
    MPI_Comm self;
    for (int i = 0; i < 30; ++i) {
      MPI_Comm_dup(MPI_COMM_SELF, &self);
      MPI_Comm_free(&self);
      usleep(150000);
    }
  }
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
""")
hosts = Hosts(2)
ran = hosts.mpirun("--host", "n0:2,n1:2", "-n", 4, "--report-hang", "2s", "--timeout", 7, program, "hang")
expect(ran.code == 124 and ran.err.count("nothing has moved for 2 s") == 1, ran, "a hang is reported once")
report = ran.err.split("nothing has moved")[1].split("mpirun:")[0]
expect("rank 3 in MPI_Recv" in report and "ranks 0-2 in MPI_Allreduce" in report, ran, "all ranks are in the report")
limit = ran.err.split("time limit")[1]
expect("rank 3 in MPI_Recv" in limit and "ranks 0-2 in MPI_Allreduce" in limit, ran, "and in the message of the time limit")
ran = hosts.mpirun("--host", "n0:2,n1:2", "-n", 4, "--report-hang", "2s", program, "slow")
expect(ran.code == 0 and ran.err == "", ran, "a job in which one host gets on")
hosts.close()
