# SPDX-License-Identifier: BSD-3-Clause
"""L20 (two hosts): the names that scripts read are right on every host; L09: arguments and L13: variables arrive as they are."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import Hosts
from launching import TESTDIR, expect, script

hosts = Hosts(2)
names = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "OMPI_LITE_RANK"], ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "OMPI_LITE_SIZE"], \
    ["OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_NODE_RANK", "MPI_LOCALRANKID", "OMPI_LITE_LOCAL_RANK"], \
    ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "OMPI_LITE_LOCAL_SIZE"]
show = "echo " + " ".join(f"${name}" for group in names for name in group)
for arguments, local in ((["-n", 5, "--host", "n0:2,n1:3"], [(0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]),
                         (["-n", 4, "--host", "n0:2,n1:2", "--map-by", "node"], [(0, 2), (0, 2), (1, 2), (1, 2)])):
    ran = hosts.mpirun(*arguments, "sh", "-c", show)
    expected = sorted(" ".join([str(rank)] * 4 + [str(len(local))] * 3 + [str(at)] * 4 + [str(of)] * 3) for rank, (at, of) in enumerate(local))
    expect(ran.code == 0 and sorted(ran.out.splitlines()) == expected, ran, "names before any MPI call")

words = ["1   2   3", "", "'", '"', "*", "a\nb", "$HOME", "\\", "-n", ";", "é"]
program = script("arguments", f"#!{sys.executable}\nimport os, sys\nopen('out.' + os.environ['PMIX_RANK'], 'w').write(repr(sys.argv[1:]))\n")
ran = hosts.mpirun("-n", 2, "--host", "n0,n1", program, *words)
for rank in range(2):
    expect(ran.code == 0 and (TESTDIR / f"out.{rank}").read_text() == repr(words), ran, f"the arguments of rank {rank}")

ran = hosts.mpirun("--host", "n0,n1", "-n", 1, "-x", "V=1", "sh", "-c", "echo $V $W $MINE $OMPI_LITE_EAGER_BYTES", ":", "-n", 1, "-x", "V=2  3",
                   "sh", "-c", 'echo "$V" $W $MINE $OMPI_LITE_EAGER_BYTES', env={"W": "w", "OMPI_LITE_EAGER_BYTES": "2k"})
expect(ran.code == 0 and sorted(ran.out.splitlines()) == ["1 w 2k", "2  3 w 2k"], ran, "variables on both hosts")
# What belongs to one host stays there, unless it is named.
ran = hosts.mpirun("--host", "n1", "-n", 1, "sh", "-c", "echo [$HOSTNAME] [$DISPLAY]", env={"HOSTNAME": "n0", "DISPLAY": ":9"})
expect(ran.code == 0 and ran.out == "[] []\n", ran, "the variables of the own host travel")
ran = hosts.mpirun("--host", "n1", "-n", 1, "-x", "DISPLAY", "sh", "-c", "echo [$DISPLAY]", env={"DISPLAY": ":9"})
expect(ran.code == 0 and ran.out == "[:9]\n", ran, "a variable that is named")
# Folders.
(TESTDIR / "sub").mkdir()
for options, folder in (([], TESTDIR), (["--wdir", TESTDIR / "sub"], TESTDIR / "sub"), (["--wdir", "sub"], TESTDIR / "sub")):
    ran = hosts.mpirun("--host", "n0,n1", *options, "pwd")
    expect(ran.code == 0 and ran.out == f"{folder}\n" * 2, ran, "the working folder")
ran = hosts.mpirun("--host", "n1", "--wdir", "/nowhere", "pwd")
expect(ran.code == 1 and ran.err == "mpirun: working folder /nowhere on host n1: No such file or directory\n", ran, "no such folder")
hosts.close()
