# SPDX-License-Identifier: BSD-3-Clause
"""N06: localhost beside a real host works across hosts, whichever comes first; names of this machine alone need no agent. L00: so do
trees of hosts, and TCP between all of them."""
# run: timeout=180
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import RELAY_LOGIN, Hosts
from launching import build_c, expect

program = build_c("exchange", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, size, length, n = 1 << 16;
  char name[MPI_MAX_PROCESSOR_NAME];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
  for (int i = 0; i < n; ++i) in[i] = i + rank;
  MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) if (out[i] != i * size + size * (size - 1) / 2) return 5;
  int *all = malloc(size * sizeof *all), *mine = malloc(size * sizeof *mine);
  for (int i = 0; i < size; ++i) mine[i] = rank * 1000 + i;
  MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) if (all[i] != i * 1000 + rank) return 6;
  MPI_Comm node;
  int local;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &local);
  MPI_Get_processor_name(name, &length);
  printf("%d %s %d\n", rank, name, local);
  MPI_Comm_free(&node);
  MPI_Finalize();
  return 0;
}
""")


def check(ran, places):
    expected = sorted(f"{rank} n{host} {places.count(host)}" for rank, host in enumerate(places))
    expect(ran.code == 0 and sorted(ran.out.splitlines()) == expected and ran.err == "", ran, f"ranks on {places}")


hosts = Hosts(2)
check(hosts.mpirun("--host", "localhost,n1", program), "01")
check(hosts.mpirun("--host", "n1,localhost", program), "10")
check(hosts.mpirun("--host", "n1:2", program), "11")
check(hosts.mpirun("--host", "127.0.0.1,127.0.0.1", program, env={"OMPI_MCA_plm_rsh_agent": "/bin/false"}), "00")
check(hosts.mpirun("--host", "localhost,n0,10.77.0.1", program, env={"OMPI_MCA_plm_rsh_agent": "/bin/false"}), "000")
check(hosts.mpirun("--host", "n0:2,n1:2", program, login=RELAY_LOGIN), "0011")
check(hosts.mpirun("--host", "n0:2,n1:2", "--map-by", "node", program), "0101")
hosts.close()
hosts = Hosts(5, net="10.78.0")
for fan_out in (1, 2, 32):
    check(hosts.mpirun("--host", "n4:2,n3,n2,n1:2,n0", "--set", f"launch_fan_out={fan_out}", program), "4432110")
hosts.close()
