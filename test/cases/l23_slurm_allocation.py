# SPDX-License-Identifier: BSD-3-Clause
"""In an allocation of Slurm, mpirun knows hosts and slots, and reaches the hosts by srun: no ssh, no option."""
# run: timeout=240
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from foreign import build_who, lines
from launching import TESTDIR, Mark, command, expect, script
from slurm import Slurm

script("ssh", "#!/bin/sh\necho ssh was asked for >&2\nexit 1\n")
os.environ["PATH"] = f"{TESTDIR}:{os.environ['PATH']}"
slurm = Slurm(3)
program = build_who()


def salloc(*words, env=None, **more):
    return slurm.run("salloc", "-Q", *words, env=env, timeout=90, **more)


mpirun = command("MPIRUN")
for words, here in ((["-N2", "-n3"], [2, 2, 1]), (["-N3", "--ntasks-per-node=2"], [2] * 6), (["-N3", "-n4"], [2, 2, 1, 1]), (["-n2"], [2, 2])):
    ran = salloc(*words, *mpirun, program)
    expect(ran.code == 0 and sorted(ran.out.splitlines()) == lines(here, 0) and ran.err == "", ran, f"one job of {here}")
ran = salloc("-N2", *mpirun, "-n", 4, "--map-by", "node", program)
expect(ran.code == 0 and sorted(ran.out.splitlines()) == lines([2] * 4, 0), ran, "more ranks than slots, round the hosts")
# Hosts that the user names come first; srun reaches those that belong to the allocation.
ran = salloc("-N3", "-w", "n0,n1,n2", *mpirun, "--host", "n2:2,n1", program)
expect(ran.code == 0 and sorted(ran.out.splitlines()) == lines([2, 2, 1], 0), ran, "hosts of the user's choice")
ran = salloc("-N1", "-w", "n0", *mpirun, "--host", "n1", program)
expect(ran.code != 0 and "ssh was asked for" in ran.err, ran, "a host outside of the allocation is for ssh")
# Binary streams, exit codes and the environment go through srun as through ssh.
data = os.urandom(300_000).replace(b"\n", b"x") + b"\n"
ran = salloc("-N2", "-w", "n0,n1", *mpirun, "-n", 1, "--host", "n1", "cat", stdin=data, text=False)
expect(ran.code == 0 and ran.out == data, ran.code, "stdin and stdout of a rank behind srun")
ran = salloc("-N2", *mpirun, program, "status", 4)
expect(ran.code == 4, ran, "the exit code")
ran = salloc("-N2", *mpirun, program, "abort", 7)
expect(ran.code == 7, ran, "the code of MPI_Abort")
ran = salloc("-N2", *mpirun, "-x", "SPECIAL=a b", "sh", "-c", "echo $SPECIAL $SLURM_JOB_NUM_NODES", env={"KEPT": "1"})
expect(ran.code == 0 and ran.out == "a b 2\n" * 2, ran, "variables")
# A rank file may count the hosts of the allocation.
(TESTDIR / "ranks").write_text("rank 0=+n1 slot=0\nrank 1=+n0 slot=0\nrank 2=+n1 slot=0\n")
ran = salloc("-N2", "-w", "n0,n1", *mpirun, "--rankfile", "ranks", program)
expect(ran.code == 0 and sorted(ran.out.splitlines()) == lines([2, 1, 2], 0), ran, "rank file")

# A job that is cancelled leaves nothing on any host.
mark = Mark()
job = subprocess.Popen(slurm.hosts.enter("n0", "salloc", "-Q", "-N2", *mpirun, "sh", "-c", "echo > up.$PMIX_RANK; sleep 100"),
                       env={**os.environ, **slurm.env, **mark.env}, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=TESTDIR)
end = time.monotonic() + 60
while not all((TESTDIR / f"up.{rank}").exists() for rank in range(2)) and time.monotonic() < end:
    time.sleep(0.05)
slurm.run("scancel", "-u", "root", timeout=20)
job.wait(60)
expect(mark.gone_within(30), mark.alive(), "left behind after scancel")
