# SPDX-License-Identifier: BSD-3-Clause
"""L13: several programs in one job: size, MPI_APPNUM, how many processes each was asked for, and variables of their own."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import shutil

from launching import TESTDIR, build_c, expect, mpirun

a = build_c("a", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, size, found, *appnum, *universe;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &found);
  if (!found) return 9;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &found);
  if (found && *universe <= size) return 8;
  const char *v = getenv("V");
  char maxprocs[16] = "";
  MPI_Info_get_string(MPI_INFO_ENV, "maxprocs", &(int){sizeof maxprocs}, maxprocs, &found);
  printf("%d/%d app %d of %s V=%s\n", rank, size, *appnum, maxprocs, v ? v : "none");
  MPI_Finalize();
  return 0;
}
""")
b = TESTDIR / "b"
shutil.copy(a, b)
for second in (b, a):
    ran = mpirun("-n", 2, "-x", "V=1", a, ":", "-n", 1, "-x", "V=2", second)
    expect(ran.code == 0, ran, "the job fails")
    expect(sorted(ran.out.splitlines()) == ["0/3 app 0 of 2 V=1", "1/3 app 0 of 2 V=1", "2/3 app 1 of 1 V=2"], ran, "size, appnum, maxprocs or V")
ran = mpirun("-genv", "V", 7, "-n", 1, a, ":", "-n", 1, "-env", "V", 8, b)
expect(sorted(ran.out.splitlines()) == ["0/2 app 0 of 1 V=7", "1/2 app 1 of 1 V=8"], ran, "-genv and -env")
ran = mpirun("-n", 1, "-x", "V", a, ":", b, env={"V": "own"})
expect(sorted(ran.out.splitlines()) == ["0/2 app 0 of 1 V=own", "1/2 app 1 of 1 V=own"], ran, "-x without a value")
ran = mpirun("-envlist", "PATH,V", "-n", 1, "env", env={"V": "1", "W": "2"})
expect(ran.code == 0 and "V=1\n" in ran.out and "W=2\n" not in ran.out, ran, "-envlist")
ran = mpirun("-n", 1, "-x", "NOT_SET_ANYWHERE", "true")
expect(ran.code == 0 and "NOT_SET_ANYWHERE" in ran.err, ran, "a variable that is not there is told")
