# SPDX-License-Identifier: BSD-3-Clause
"""N04: a job on one host needs no network: lo alone, lo down, a stray bridge, an own name that nothing resolves."""
# run: timeout=120
import os
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import TESTDIR, build_c, command, expect, run, skip

program = build_c("sum", r"""
#include <mpi.h>
int main(int argc, char **argv) {
  int rank, size, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum != 6;
}
""")
if os.geteuid() != 0 or subprocess.run(["unshare", "-n", "-u", "-m", "true"], capture_output=True).returncode != 0:
    skip("needs namespaces of its own")
(TESTDIR / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:5 attempts:3\n")
# A name server that never answers, in the job's own network; it ends when the job's shell does.
silent = TESTDIR / "silent.py"
silent.write_text("import os, socket, time\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.bind(('127.0.0.1', 53))\n"
                  "parent = os.getppid()\nwhile os.getppid() == parent: time.sleep(0.1)\n")
NETWORKS = {
    "lo up": "ip link set lo up",
    "lo down": "true",
    "lo and a bridge": "ip link set lo up; ip link add virbr0 type bridge; ip addr add 192.168.122.1/24 dev virbr0; ip link set virbr0 up",
    "an unknown own name": "ip link set lo up; hostname no-such-name-anywhere",
    "a silent name server": f"ip link set lo up; hostname no-such-name-anywhere; mount --bind {TESTDIR}/resolv.conf /etc/resolv.conf; "
                            f"{sys.executable} {silent} & sleep 0.3",
}
for name, prepare in NETWORKS.items():
    times = []
    for _ in range(3):
        script = f'{prepare}; start=$(date +%s%N); "$@"; code=$?; echo $((($(date +%s%N) - start) / 1000000)); exit $code'
        ran = run(["unshare", "-n", "-u", "-m", "sh", "-c", script, "sh", *command("MPIRUN"), "-n", 4, program], timeout=60)
        expect(ran.code == 0, ran, name)
        times.append(int(ran.out.split()[-1]) / 1000)
    expect(min(times) < 2, times, f"{name}: takes {min(times)} s")
