# SPDX-License-Identifier: BSD-3-Clause
"""A01: a program started by itself is a job of one rank, at once, and leaves nothing."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import subprocess

from launching import TESTDIR, build_c, expect, run, shared_objects

program = build_c("alone", r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int size, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  printf("%d/%d\n", rank, size);
  MPI_Finalize();
  return 0;
}
""")
folder = TESTDIR / "tmp"
folder.mkdir()
before = shared_objects()
fastest = 1e9
for _ in range(20):
    ran = run([program], env={"TMPDIR": str(folder)})
    expect(ran.code == 0 and ran.out == "0/1\n" and ran.err == "", ran, "not one rank")
    fastest = min(fastest, ran.seconds)
expect(fastest < 0.5, fastest, "too slow")
pair = [subprocess.Popen([program], stdout=subprocess.PIPE) for _ in range(2)]
for each in pair:
    out, _ = each.communicate(timeout=30)
    expect(each.returncode == 0 and out == b"0/1\n", out, "two at once")
left = [n for n in shared_objects() - before if "ompi" in n]
expect(os.listdir(folder) == [] and not left, left, "litter")
