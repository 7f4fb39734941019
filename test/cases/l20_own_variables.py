# SPDX-License-Identifier: BSD-3-Clause
"""L20: the names that scripts read are set and right before any MPI call."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import expect, mpirun

names = {"OMPI_COMM_WORLD_RANK": "r", "OMPI_COMM_WORLD_SIZE": "n", "OMPI_COMM_WORLD_LOCAL_RANK": "r", "OMPI_COMM_WORLD_LOCAL_SIZE": "n",
         "OMPI_COMM_WORLD_NODE_RANK": "r", "PMIX_RANK": "r", "PMI_RANK": "r", "PMI_SIZE": "n", "MPI_LOCALRANKID": "r", "MPI_LOCALNRANKS": "n",
         "OMPI_LITE_RANK": "r", "OMPI_LITE_SIZE": "n"}
show = "echo " + " ".join(f"{name}=${name}" for name in names)
# What an outer job said about us must not reach our ranks.
outer = {"PMI_RANK": "77", "PMI_SIZE": "78", "PMI_FD": "9", "PMIX_RANK": "76", "PMIX_NAMESPACE": "outer", "OMPI_COMM_WORLD_SIZE": "75",
         "MPI_LOCALRANKID": "74"}
for ranks in (1, 2, 5):
    for env in ({}, outer):
        ran = mpirun("-n", ranks, "sh", "-c", show, env=env)
        expected = sorted(" ".join(f"{name}={r if kind == 'r' else ranks}" for name, kind in names.items()) for r in range(ranks))
        expect(ran.code == 0 and sorted(ran.out.splitlines()) == expected, ran, "wrong names or values")
ran = mpirun("-n", 1, "env", env=outer)
expect("PMI_FD" not in ran.out and "outer" not in ran.out, ran, "an outer job shines through")
universe = [line for line in ran.out.splitlines() if line.startswith("OMPI_UNIVERSE_SIZE=")]
expect(universe and int(universe[0].split("=")[1]) > 1, ran, "a universe that forbids spawning")
