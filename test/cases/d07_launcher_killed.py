# SPDX-License-Identifier: BSD-3-Clause
"""D07, D11: kill -9 of mpirun or of its process group leaves no process, file or segment behind."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import signal
import time

from launching import TESTDIR, Mark, build_c, expect, shared_objects, start_mpirun, wait_for_files

program = build_c("stuck", r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int rank;
  char name[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "ready.%d", rank);
  fclose(fopen(name, "w"));
  if (rank) MPI_Barrier(MPI_COMM_WORLD);
  else for (;;) ;
  return 0;
}
""")
folder = TESTDIR / "tmp"
folder.mkdir()
before = shared_objects()
# A rank that is a program, and shell scripts around one that do not make it easy.
around = f'{program} & trap "" TERM HUP INT; (sleep 100; true) & wait'
own_group = f"timeout 90 {program}; true"  # timeout makes a process group of its own
own_session = f"setsid -w {program}; true"
for rank_words in ([program], ["sh", "-c", around], ["sh", "-c", own_group], ["sh", "-c", own_session]):
    for whom in ("mpirun", "its process group"):
        for path in TESTDIR.glob("ready.*"):
            path.unlink()
        mark = Mark()
        job = start_mpirun("-n", 4, *rank_words, env={**os.environ, **mark.env, "TMPDIR": str(folder)}, start_new_session=True)
        expect(wait_for_files([TESTDIR / f"ready.{r}" for r in range(4)]), rank_words, "does not start")
        if whom == "mpirun":
            job.kill()
        else:
            os.killpg(job.pid, signal.SIGKILL)
        job.wait(timeout=10)
        expect(mark.gone_within(5), mark.alive(), f"survivors of the death of {whom}")
        expect(os.listdir(folder) == [], os.listdir(folder), "litter in TMPDIR")
time.sleep(0.2)
left = [n for n in shared_objects() - before if "ompi" in n or "sysv" in n]
expect(not left, left, "litter")
