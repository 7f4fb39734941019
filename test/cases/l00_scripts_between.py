# SPDX-License-Identifier: BSD-3-Clause
"""Between mpirun and the program stand scripts: shell, Python (which closes descriptors), a clean environment."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, expect, mpirun

program = build_c("sum", r"""
#include <mpi.h>
#include <stdio.h>
static char out[1 << 20], in[1 << 20];
int main(int argc, char **argv) {
  int rank, size, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 20; ++i) MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Sendrecv(out, 1 << 20, MPI_CHAR, (rank + 1) % size, 3, in, 1 << 20, MPI_CHAR, (rank + size - 1) % size, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  printf("%d %d %d\n", rank, size, sum);
  MPI_Finalize();
  return 0;
}
""")
expected = sorted(f"{r} 3 3" for r in range(3))
python = f"import subprocess, sys; sys.exit(subprocess.run([{str(program)!r}]).returncode)"
for words in (["sh", "-c", f"{program}; exit $?"], ["sh", "-c", f"exec {program}"], [sys.executable, "-c", python],
              ["bash", "-c", f"exec 3>&1 4>&1 100>&-; {program} 3>&-"], ["bash", "-c", f"set -m; {program} & wait $! 2> /dev/null"],
              ["sh", "-c", f"cd / && exec {program}"], ["timeout", "60", program], ["nice", program]):
    ran = mpirun("-n", 3, *words)
    expect(ran.code == 0 and sorted(ran.out.splitlines()) == expected, ran, "not one job of three")
    expect(ran.err == "", ran, "words without need")
# The exit code comes through the script.
ran = mpirun("-n", 3, "sh", "-c", f"{program}; exit 5")
expect(ran.code == 5 and len(ran.out.splitlines()) == 3, ran, "a script's own exit code")
# One rank may run several programs after each other; several ranks would meet each other's, and are told so.
ran = mpirun("-n", 1, "sh", "-c", f"{program} && {program} && {program}")
expect(ran.code == 0 and ran.out == "0 1 0\n" * 3, ran, "one rank, three programs")
for _ in range(5):
    ran = mpirun("-n", 4, "sh", "-c", f"{program} && {program}", timeout=30)
    good = ran.code == 0 and len(ran.out.splitlines()) == 8
    expect(good or (ran.code not in (0, 139) and "before" in ran.err), ran, "a second program neither works nor is refused in words")
