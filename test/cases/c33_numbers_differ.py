# SPDX-License-Identifier: BSD-3-Clause
"""Ranks whose files of the machine's numbers differ, are damaged or are not there choose alike all the same: on one node and over hosts,
and the last bits of a sum stay from call to call."""
# run: timeout=300
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import Hosts
from launching import TESTDIR, build_c, expect, mpirun, run

program = build_c("choices", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm turned;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  for (int n = 1; n <= 100000; n *= 10) {
    float *in = malloc(n * size * 4), *out = malloc(n * size * 4), *first = malloc(n * 4);
    for (int call = 0; call < 4; ++call) {
      for (int which = 0; which < 2; ++which) {
        MPI_Comm comm = which ? turned : MPI_COMM_WORLD;
        for (int i = 0; i < n * size; ++i) in[i] = 0.1f * (rank + 1) + 1.0f / (i + 3);
        MPI_Allreduce(in, out, n, MPI_FLOAT, MPI_SUM, comm);
        if (which == 0 && call == 0) memcpy(first, out, n * 4);
        if (which == 0 && memcmp(first, out, n * 4)) printf("%d floats: call %d differs from the first\n", n, call);
        MPI_Allreduce(in, out, n, MPI_FLOAT, MPI_MAX, comm);
        MPI_Reduce(in, out, n, MPI_FLOAT, MPI_SUM, call % size, comm);
        MPI_Bcast(out, n, MPI_FLOAT, call % size, comm);
        MPI_Allgather(in, n, MPI_FLOAT, out, n, MPI_FLOAT, comm);
        MPI_Alltoall(in, n, MPI_FLOAT, out, n, MPI_FLOAT, comm);
        MPI_Reduce_scatter_block(in, out, n, MPI_FLOAT, MPI_SUM, comm);
        MPI_Gather(in, n, MPI_FLOAT, out, n, MPI_FLOAT, 0, comm);
        MPI_Scatter(in, n, MPI_FLOAT, out, n, MPI_FLOAT, 0, comm);
        MPI_Barrier(comm);
      }
    }
    free(in), free(out), free(first);
  }
  MPI_Comm_free(&turned);
  MPI_Finalize();
  return 0;
}
""")

INFO = [pathlib.Path(os.environ["PREFIX"]) / "bin/ompi_lite_info"]
shown = run([*INFO, "--machine"]).out
key = re.search(r"machine   (.*)", shown)[1]


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 % (1 << 64)
    return h


def write(name, factor):
    """A file of numbers, every one of them so many times the preset."""
    text = f"ompi-lite machine numbers 1\nmachine {key}\n"
    for word, value, unit in re.findall(r"^(\w+) +([\d.e+-]+) +(ns|GB/s) ", shown, re.M):
        value = float(value) * (factor if unit == "ns" else 1 / factor)
        text += f"{word} {value:.4g} {unit}\n"
    path = TESTDIR / name
    path.write_text(text + f"sum {fnv(text.encode()):016x}\n")
    told = run([*INFO, "--machine"], env={"OMPI_LITE_MACHINE_FILE": str(path)})
    expect("measured  before" in told.out, told, "the file that the test wrote counts")
    return path


fast, slow, damaged = write("fast", 0.2), write("slow", 20), TESTDIR / "damaged"
damaged.write_text(fast.read_text()[:-10])
lines = write("lines", 1)  # differs in proportion: lines are dear, bytes are cheap
text = re.sub(r"(?m)^line .*", "line 30000 ns", lines.read_text().rsplit("sum", 1)[0])
lines.write_text(text + f"sum {fnv(text.encode()):016x}\n")
files = [fast, slow, damaged, lines, "none"]

for turn in range(len(files)):
    words = []
    for rank in range(4):
        words += [":"] if rank else []
        words += ["-n", 1, "env", f"OMPI_LITE_MACHINE_FILE={files[(turn + rank) % len(files)]}", program]
    ran = mpirun(*words, timeout=100)
    expect(ran.code == 0 and ran.out == "", ran, f"on one node, from file {turn} on")

hosts = Hosts(2)
for first, second in ((fast, lines), (lines, slow), ("none", fast)):
    ran = hosts.mpirun("--host", "n0:2", "-n", 2, "env", f"OMPI_LITE_MACHINE_FILE={first}", program, ":",
                       "--host", "n1:2", "-n", 2, "env", f"OMPI_LITE_MACHINE_FILE={second}", program, timeout=100)
    expect(ran.code == 0 and ran.out == "", ran, f"over hosts: {first}, {second}")
hosts.close()
