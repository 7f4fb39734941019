# SPDX-License-Identifier: BSD-3-Clause
"""A02: the tasks of srun are one job, through PMIx and through PMI-1, on one host and on two."""
# run: timeout=240
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from foreign import build_who, lines
from launching import expect
from slurm import Slurm

slurm = Slurm(2)
program = build_who()
offered = slurm.run("srun", "--mpi=list")
for kind in ("pmix", "pmi2"):
    # The plugin for PMIx opens a library that is in a package of its own: Slurm may name it and yet have none.
    if kind == "pmix" and "Invalid MPI type" in slurm.run("srun", "--mpi=pmix", "-n", 1, "true", timeout=90).err:
        print("this Slurm has no PMIx")
        continue
    part = 0 if kind == "pmix" else -1  # Slurm's PMI-1 server does not say

    def srun(*words):
        return slurm.run("srun", f"--mpi={kind}", "--kill-on-bad-exit=1", *words, timeout=90)

    for words, here in ((["-N1", "-n4"], [4] * 4), (["-N2", "-n4", "--ntasks-per-node=2"], [2] * 4), (["-N2", "-n3"], [2, 2, 1]),
                        (["-N2", "-n4", "-m", "cyclic", "--ntasks-per-node=2"], [2] * 4), (["-N1", "-n1"], [1])):
        ran = srun(*words, program)
        expect(ran.code == 0 and sorted(ran.out.splitlines()) == lines(here, part), ran, f"one job of {here}")
    ran = srun("-N2", "-n4", program, "abort", 7)
    # Slurm takes the highest of all tasks' codes, and over PMI-1 it kills the others before they have any.
    expect(ran.code == (7 if kind == "pmix" else ran.code or 7) and "MPI_Abort(MPI_COMM_WORLD, 7)" in ran.err, ran, "MPI_Abort ends all")
    ran = srun("-N2", "-n3", program, "status", 4)
    expect(ran.code == 4, ran, "a task's exit status is the job's")

ran = slurm.run("srun", "--mpi=none", "-n", 2, program, timeout=60)
expect("--mpi=pmix" in ran.err and "--mpi=pmi2" in ran.err, ran, "says what to do")
