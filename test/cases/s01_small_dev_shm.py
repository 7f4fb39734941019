# SPDX-License-Identifier: BSD-3-Clause
"""S01: a small, read-only or missing /dev/shm: large collectives work or end with a clear error; never SIGBUS."""
# run: timeout=240
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import TESTDIR, build_c, command, expect, run, skip

program = build_c("large_sum", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, size, n = 8 << 20;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int *data = malloc(sizeof(int) * (size_t)n);
  for (int i = 0; i < n; i++) data[i] = i % 1000 + rank;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int code = MPI_Allreduce(MPI_IN_PLACE, data, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD), class = 0;
  if (code != MPI_SUCCESS) {
    char text[MPI_MAX_ERROR_STRING];
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &n);
    fprintf(stderr, "%s\n", text);
    return class == MPI_ERR_NO_MEM ? 40 : 41;
  }
  for (int i = 0; i < n; i++)
    if (data[i] != size * (i % 1000) + size * (size - 1) / 2) return 42;
  MPI_Finalize();
  return 0;
}
""")
if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
    skip("needs a mount namespace of its own")
bare = TESTDIR / "dev"  # a /dev without shm
bare.mkdir()
nodes = "; ".join(f"mknod -m 666 {bare}/{name} c {major} {minor}" for name, major, minor in
                  (("null", 1, 3), ("zero", 1, 5), ("full", 1, 7), ("random", 1, 8), ("urandom", 1, 9), ("tty", 5, 0)))
PREPARE = {
    "64 MB": "mount -t tmpfs -o size=64m tmpfs /dev/shm",
    "1 MB": "mount -t tmpfs -o size=1m tmpfs /dev/shm",
    "read-only": "mount -t tmpfs -o ro tmpfs /dev/shm",
    "none": f"mount -t tmpfs tmpfs {bare}; {nodes}; ln -s /proc/self/fd {bare}/fd; mkdir {bare}/pts; mount --bind /dev/pts {bare}/pts; "
            f"ln -s pts/ptmx {bare}/ptmx; mount --move {bare} /dev",
}
for name, prepare in PREPARE.items():
    script = f'{prepare} && exec "$@"'
    ran = run(["unshare", "-m", "sh", "-ec", script, "sh", *command("MPIRUN"), "-n", 4, program], timeout=100)
    expect(ran.code in (0, 40), ran, f"/dev/shm: {name}")
    expect(ran.code == 0 or "/dev/shm" in ran.err, ran, f"/dev/shm: {name}: the message does not name it")
