# SPDX-License-Identifier: BSD-3-Clause
"""C02, C05, C06, C14, C19, C25: every algorithm of every collective is forced in turn and must pass the
programs of collectives."""
# run: timeout=900
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import pathlib

from launching import TESTDIR, build_c, command, expect, mpirun, run

TEST = pathlib.Path(__file__).resolve().parent.parent
OPERATIONS = ["barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv",
              "alltoallw", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"]
PROGRAMS = ["mpi/barrier.c", "mpi/bcast.c", "mpi/gather.c", "mpi/scatter.c", "mpi/allgather.c", "mpi/alltoall.c", "mpi/reduce.c",
            "mpi/reduce_scatter_and_scan.c", "cases/c02_in_place_allreduce.c", "cases/c05_non_commutative_product.c",
            "cases/c06_non_commutative_reduce_scatter.c", "cases/c08_null_and_count_0.c", "cases/c19_same_answer_everywhere.c"]
RANKS = [2, 3, 4, 5, 7]

idle = build_c("idle", "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }\n")


def algorithms_of(operation):
    """A wrong name is refused with the list of the right ones."""
    ran = mpirun("-n", 1, idle, env={"OMPI_LITE_COLL": f"{operation}=nonsense"})
    found = re.search(r"known are ([a-z_, ]+)", ran.out + ran.err)
    expect(ran.code != 0 and found and "nonsense" in ran.out + ran.err, ran, "an unknown algorithm is refused by name")
    return [name for name in re.split(r"[, ]+", found[1]) if name]


def build(source):
    program = TESTDIR / source.replace("/", "_").removesuffix(".c")
    done = run([*command("MPICC"), "-std=gnu11", "-O1", "-o", program, TEST / source, "-lm", "-pthread"])
    expect(done.code == 0, done, f"{source} does not compile")
    return program


programs = [build(source) for source in PROGRAMS]
known = {operation: algorithms_of(operation) for operation in OPERATIONS}
expect(all(known.values()), known, "every operation has an algorithm")
rounds = max(len(names) for names in known.values())
for k in range(rounds):  # the k-th algorithm of every operation at the same time
    forced = ",".join(f"{operation}={names[k % len(names)]}" for operation, names in known.items())
    for program in programs:
        for ranks in RANKS:
            ran = mpirun("-n", ranks, program, env={"OMPI_LITE_COLL": forced}, timeout=120)
            expect(ran.code == 0 and ran.out.splitlines()[-1:] == ["ok"], ran, f"{program.name} with {ranks} ranks and {forced}")
