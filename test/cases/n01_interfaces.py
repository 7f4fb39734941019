# SPDX-License-Identifier: BSD-3-Clause
"""N01: bridges with the same address on both hosts are no way between them; N09: interfaces are chosen by names and by networks; N03: many
interfaces, some without carrier, delay nothing; a host with two ways to another takes the one that works."""
# run: timeout=300
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import Hosts
from launching import build_c, expect

program = build_c("exchange", r"""
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, size, n = 1 << 18;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
  for (int i = 0; i < n; ++i) in[i] = i + rank;
  MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) if (out[i] != i * size + size * (size - 1) / 2) return 5;
  MPI_Alltoall(in, n / size, MPI_INT, out, n / size, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) if (out[i * (n / size)] != rank * (n / size) + i) return 6;
  MPI_Finalize();
  return 0;
}
""")
BRIDGE = "ip link add {0} type bridge; ip addr add {1} dev {0}; ip link add {0}a type veth peer name {0}b; ip link set {0}a master {0}; " \
         "ip link set {0}a up; ip link set {0}b up; ip link set {0} up"
PLACES = ["--host", "n0:2,n1:2", "-n", 4]

hosts = Hosts(2)
plain = hosts.mpirun(*PLACES, program)
expect(plain.code == 0, plain, "before the bridges")
for name in hosts.names:
    hosts.sh(name, BRIDGE.format("docker0", "172.17.0.1/16"))
    hosts.sh(name, BRIDGE.format("virbr0", "192.168.122.1/24"))
    hosts.sh(name, "".join(f"ip link add down{i} type bridge; ip addr add 10.{100 + i}.0.1/24 dev down{i}; ip link set down{i} up; " for i in range(10)))
hosts.wait_until_up("docker0")
hosts.wait_until_up("virbr0")
ran = hosts.mpirun(*PLACES, program)
expect(ran.code == 0 and ran.err == "", ran, "with bridges of the same address")
expect(ran.seconds < 2 * plain.seconds + 2, ran, f"takes {ran.seconds:.1f} s, without bridges {plain.seconds:.1f} s")
for chosen in ("eth0", "nowhere,eth0", "10.77.0.0/24", "10.0.0.0/8,192.168.0.0/16", "10.77.0.1,10.77.0.2"):
    ran = hosts.mpirun(*PLACES, "--set", f"tcp_interfaces={chosen}", program)
    expect(ran.code == 0, ran, f"interfaces {chosen}")
ran = hosts.mpirun(*PLACES, "--set", "tcp_exclude_interfaces=docker0,192.168.0.0/16", program)
expect(ran.code == 0, ran, "interfaces left out")
for chosen, words in (("nowhere", ("nowhere", "eth0 (10.77.0.", "docker0 (172.17.0.1)")), ("10.0.0.0/33", ("10.0.0.0/33", "neither"))):
    ran = hosts.mpirun(*PLACES, "--set", f"tcp_interfaces={chosen}", program)
    expect(ran.code != 0 and ran.seconds < 20, ran, f"interfaces {chosen}")
    for word in words:
        expect(word in ran.err, ran, f"the message has no {word}")
ran = hosts.mpirun(*PLACES, "--set", "tcp_exclude_interfaces=eth0,10.0.0.0/8", "--set", "tcp_connect_timeout=2s", program)
expect(ran.code != 0 and ran.seconds < 30 and "no address" in ran.err, ran, "no way at all")
hosts.close()

# Different names on the two hosts, and a second network that leads nowhere although it looks like the first choice.
hosts = Hosts(2, net="10.79.0")
hosts.sh("n0", "ip link set eth0 down; ip link set eth0 name eno1; ip link set eno1 up")
hosts.sh("n0", BRIDGE.format("deaf", "10.80.0.1/24"))
hosts.sh("n1", BRIDGE.format("deaf", "10.80.0.2/24"))
hosts.sh("n0", "for i in $(seq 100); do ip link show eno1 | grep -q 'state UP' && exit 0; sleep 0.05; done; exit 1")
hosts.wait_until_up("deaf")
for options in (["--set", "tcp_interfaces=eno1,eth0"], ["--set", "tcp_interfaces=10.79.0.0/16"], []):
    ran = hosts.mpirun(*PLACES, *options, program)
    expect(ran.code == 0 and ran.err == "" and ran.seconds < 40, ran, f"eno1 here, eth0 there, {options}")
hosts.close()
