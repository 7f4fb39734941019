# SPDX-License-Identifier: BSD-3-Clause
"""The numeric cases of section C and the programs of collectives, with every algorithm of every collective forced in turn, over
shared memory and over TCP alone. The table of algorithms says which there are."""
# run: timeout=900
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import pathlib

from launching import TESTDIR, build_c, command, expect, mpirun, run

TEST = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ["mpi/barrier.c", "mpi/bcast.c", "mpi/gather.c", "mpi/scatter.c", "mpi/allgather.c", "mpi/alltoall.c", "mpi/reduce.c",
            "mpi/reduce_scatter_and_scan.c", "cases/c02_in_place_allreduce.c", "cases/c05_non_commutative_product.c",
            "cases/c06_non_commutative_reduce_scatter.c", "cases/c08_null_and_count_0.c", "cases/c10_scatter_sendcount_0.c",
            "cases/c12_in_place_alltoallw.c", "cases/c13_bcast_unequal_types.c", "cases/c14_odd_process_numbers.c",
            "cases/c15_scatter_into_strided.c", "cases/c19_same_answer_everywhere.c", "cases/c20_types_and_ops.c",
            "cases/c28_half_floats.c"]
LONG = ["cases/c14_odd_process_numbers.c", "cases/c19_same_answer_everywhere.c"]  # these take the two ways in turn
RANKS = [4, 3, 5, 2, 7]  # each algorithm and program meets two of them; the multi-rank checks try all
WAYS = [{}, {"OMPI_LITE_TRANSPORTS": "self,tcp"}]


def known_algorithms():
    """{operation: names} from ompi_lite_info, which has a line "bcast: linear, knomial:radix, ..." for each."""
    shown = run([pathlib.Path(os.environ["PREFIX"]) / "bin/ompi_lite_info", "--knobs", "coll"])
    lines = [line.strip().split(": ", 1) for line in shown.out.splitlines()[2:]]
    known = {operation: [name.split(":")[0] for name in names.split(", ")] for operation, names in lines}
    expect(len(known) == 22 and all(names[0] == "linear" for names in known.values()), shown, "22 operations, linear first")
    return known


def build(source):
    program = TESTDIR / source.replace("/", "_").removesuffix(".c")
    done = run([*command("MPICC"), "-std=gnu11", "-O1", "-o", program, TEST / source, "-lm", "-pthread"])
    expect(done.code == 0, done, f"{source} does not compile")
    return program


idle = build_c("idle", "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }\n")
for wrong, right in (("allreduce=nonsense", "known are linear, tree"), ("bcast=knomial:1", "from 2 to 16")):
    refused = mpirun("-n", 1, idle, env={"OMPI_LITE_COLL": wrong})
    expect(refused.code != 0 and right in refused.out + refused.err, refused, f"{wrong} is refused, with what is right")

known = known_algorithms()
programs = [build(source) for source in PROGRAMS]
for k in range(max(len(names) for names in known.values())):  # the k-th algorithm of every operation at the same time
    forced = ",".join(f"{operation}={names[k % len(names)]}" for operation, names in known.items())
    for j, program in enumerate(programs):
        for w, way in enumerate(WAYS):
            if PROGRAMS[j] in LONG and w != k % 2:
                continue
            ranks = RANKS[(j + k + 2 * w) % len(RANKS)]
            ran = mpirun("-n", ranks, program, env={"OMPI_LITE_COLL": forced, **way}, timeout=120)
            expect(ran.code == 0 and ran.out.splitlines()[-1:] == ["ok"], ran, f"{program.name}, {ranks} ranks, {forced} {way}")
