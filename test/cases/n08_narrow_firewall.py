# SPDX-License-Identifier: BSD-3-Clause
"""N08: a firewall that lets some ports through: a range of ports keeps within it, a misspelt one is refused, and without one the job ends in
bounded time and says who could not reach whom. N11: strangers on the ports of a job across hosts do not matter."""
# run: timeout=300
import os
import socket
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import Hosts
from launching import TESTDIR, build_c, expect, skip, wait_for_files

program = build_c("exchange", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, size, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int turn = 0; turn < (argc > 1 ? 30 : 1); ++turn) {
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != size * (size - 1) / 2) return 5;
    if (argc > 1 && turn == 1) {
      char name[32];
      snprintf(name, sizeof name, "ready.%d", rank);
      fclose(fopen(name, "w"));
    }
    if (argc > 1) usleep(100000);
  }
  MPI_Finalize();
  return 0;
}
""")
hosts = Hosts(2)
WALL = "ip rule add pref 10 ipproto tcp dport 50000-50030 lookup main; ip rule add pref 11 ipproto tcp sport 50000-50030 lookup main; " \
       "ip rule add pref 12 to 10.77.0.0/24 ipproto tcp blackhole"
for name in hosts.names:
    if subprocess.run(hosts.enter(name, "sh", "-ec", WALL), capture_output=True).returncode != 0:
        skip("needs routing rules by port")
PLACES = ["--host", "n0:2,n1:2", "-n", 4]
for turn in range(3):
    ran = hosts.mpirun(*PLACES, "--set", "ports=50000-50030", program)
    expect(ran.code == 0 and ran.err == "", ran, "within the range that is open")
for text in ("50000:50030", "50030-50000", "0", "65536", "50000-", "x"):
    ran = hosts.mpirun(*PLACES, "--set", f"ports={text}", program)
    expect(ran.code != 0 and ran.seconds < 20 and text in ran.err and "such as 50000-50030" in ran.err, ran, f"the range {text}")
ran = hosts.mpirun("--host", "n0,n1:2", "--set", "ports=50000", program)
expect(ran.code != 0 and "50000" in ran.err and "in use" in ran.err, ran, "fewer ports than ranks")
ran = hosts.mpirun(*PLACES, "--set", "tcp_connect_timeout=3s", program)
expect(ran.code != 0 and ran.seconds < 40, ran, "outside of what is open")
expect("no connection from n" in ran.err and "10.77.0." in ran.err and " port " in ran.err, ran, "who could not reach whom")
hosts.close()

hosts = Hosts(2, net="10.81.0")
job = hosts.start(*PLACES, "--set", "ports=50000-50003", program, "long")
expect(wait_for_files([TESTDIR / f"ready.{rank}" for rank in range(4)]), job, "the job does not start")
STRANGER = """
import os, socket, sys
kept = []
for port in range(50000, 50004):
    for address in ("10.81.0.1", "10.81.0.2"):
        for words in (b"", os.urandom(4096), b"GET / HTTP/1.0\\r\\n\\r\\n"):
            s = socket.socket()
            s.settimeout(2)
            try:
                s.connect((address, port))
                s.sendall(words)
            except OSError:
                continue
            kept.append(s)
print(len(kept))
"""
told = subprocess.run(hosts.enter("n1", sys.executable, "-c", STRANGER), capture_output=True, text=True)
expect(told.returncode == 0 and int(told.stdout) > 0, told, "the stranger finds no port")
out, err = job.communicate(timeout=60)
expect(job.returncode == 0 and err == b"", (job.returncode, err), "a job among strangers")
hosts.close()
