# SPDX-License-Identifier: BSD-3-Clause
"""D01: the exit code of the first rank that fails is mpirun's, every time."""
# run: timeout=240
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun

program = build_c("leave", "#include <mpi.h>\n#include <unistd.h>\nint main(int c, char **v) { MPI_Init(&c, &v); _exit(3); }\n")
for turn in range(int(os.environ.get("LAUNCHER_ROUNDS", "40"))):
    ran = mpirun("-n", 2, program)
    expect(ran.code == 3, ran, f"turn {turn}")
    expect(ran.err.count("mpirun: ") == 1 and "code 3" in ran.err, ran, "one message with the code")
# Without MPI, for all and for one, and after MPI_Finalize.
for code in (1, 3, 255):
    ran = mpirun("-n", 3, "sh", "-c", f"exit {code}")
    expect(ran.code == code and ran.err.count("mpirun: ") == 1, ran, "all fail")
    ran = mpirun("-n", 3, "sh", "-c", f'[ $PMIX_RANK = 1 ] && exit {code}; sleep 60')
    expect(ran.code == code and "rank 1 " in ran.err and ran.seconds < 10, ran, "one fails, the others would stay")
late = build_c("late", r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int c, char **v) {
  int rank;
  MPI_Init(&c, &v);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  if (rank == 0) return 4;
  usleep(500000);
  puts("finished");
  return 0;
}
""")
ran = mpirun("-n", 3, late)
expect(ran.code == 4 and ran.out == "finished\n" * 2, ran, "a code after MPI_Finalize counts, and stops nobody")
