# SPDX-License-Identifier: BSD-3-Clause
"""L16: ten jobs started at the same instant do not meet; nothing is left in TMPDIR."""
# run: timeout=300
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import TESTDIR, build_c, expect, shared_objects, start_mpirun

ROUNDS = int(os.environ.get("LAUNCHER_ROUNDS", "8"))
program = build_c("sum", r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int rank, mine, sum = 0, salt = 0;
  sscanf(argv[1], "%d", &salt);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  mine = salt + rank;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum == 4 * salt + 6 ? 0 : 5;
}
""")
folder = TESTDIR / "tmp"
folder.mkdir()
before = shared_objects()
env = {**os.environ, "TMPDIR": str(folder)}
for round_number in range(ROUNDS):
    jobs = [start_mpirun("-n", 4, program, 1000 * round_number + 7 * job, env=env) for job in range(10)]
    for job in jobs:
        out, err = job.communicate(timeout=120)
        expect(job.returncode == 0, (job.returncode, out, err), f"a job of round {round_number} fails")
expect(os.listdir(folder) == [], os.listdir(folder), "litter in TMPDIR")
left = shared_objects() - before
expect(not [n for n in left if "ompi" in n], left, "litter in shared memory")
