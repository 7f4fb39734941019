# SPDX-License-Identifier: BSD-3-Clause
"""D09: a limit by option or variable ends a hung job on time, with exit code 124 and the stacks if asked."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import shutil

from launching import Mark, build_c, expect, mpirun

program = build_c("hang", r"""
#include <mpi.h>
#include <unistd.h>
__attribute__((noinline)) void waiting_for_godot(void) { for (;;) pause(); }
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) waiting_for_godot();
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}
""")
for options, env in ((["--timeout", 2], {}), (["-timeout", "2"], {"MPIEXEC_TIMEOUT": "60"}), ([], {"MPIEXEC_TIMEOUT": "2"}),
                     (["--timeout=2"], {})):
    mark = Mark()
    ran = mpirun("-n", 2, *options, program, env={**env, **mark.env})
    expect(ran.code == 124, ran, "exit code 124")
    expect(1.9 < ran.seconds < 6, ran, "not on time")
    expect(ran.err.count("mpirun: ") == 1 and "limit" in ran.err, ran, "one message")
    expect(mark.gone_within(0), mark.alive(), "survivors")
ran = mpirun("--timeout", 60, "-n", 2, "true")
expect(ran.code == 0 and ran.seconds < 10, ran, "a job that ends before its limit")
ran = mpirun("-n", 1, "true", env={"MPIEXEC_TIMEOUT": "later"})
expect(ran.code == 2 and "MPIEXEC_TIMEOUT" in ran.err, ran, "a limit that is no number")
if shutil.which("gdb"):
    ran = mpirun("-n", 2, "--timeout", 2, "--get-stack-traces", program)
    expect(ran.code == 124 and "waiting_for_godot" in ran.err, ran, "the stack of rank 0")
    expect("stacks of rank 0" in ran.err and "stacks of rank 1" in ran.err, ran, "each rank's stack")
