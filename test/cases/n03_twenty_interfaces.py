# SPDX-License-Identifier: BSD-3-Clause
"""N03: many network interfaces, some without carrier, do not delay a job on one host over TCP."""
# run: timeout=120
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import build_c, command, expect, run, skip

program = build_c("sum", r"""
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, size, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum != size * (size - 1) / 2;
}
""")
if os.geteuid() != 0 or subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode != 0:
    skip("needs a network namespace of its own")
pairs = "".join(f"ip link add a{i} type veth peer name b{i}; ip addr add 10.{i}.0.1/24 dev a{i}; ip link set a{i} up; "
                + (f"ip link set b{i} up; " if i % 2 else "") for i in range(8))
bridges = "".join(f"ip link add br{i} type bridge; ip addr add 172.{17 + i}.0.1/16 dev br{i}; ip link set br{i} up; " for i in range(4))
for ranks in (2, 8):
    plain = run([*command("MPIRUN"), "-n", ranks, program], env={"OMPI_LITE_TRANSPORTS": "self,tcp"})
    expect(plain.code == 0, plain, "without the interfaces")
    many = run(["unshare", "-n", "sh", "-ec", f'ip link set lo up; {pairs}{bridges} exec "$@"', "sh", *command("MPIRUN"), "-n", ranks,
                program], env={"OMPI_LITE_TRANSPORTS": "self,tcp"})
    expect(many.code == 0, many, f"{ranks} ranks with twenty interfaces")
    expect(many.seconds < 2 * plain.seconds + 1.5, many, f"{ranks} ranks: {many.seconds:.2f} s, without the interfaces {plain.seconds:.2f} s")
