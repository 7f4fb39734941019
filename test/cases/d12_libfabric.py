# SPDX-License-Identifier: BSD-3-Clause
"""D12 and N06 over libfabric: two hosts whose ranks share nothing else compute right; a rank that is frozen for some seconds simply goes on; a
cut link ends the job within a time that can be set; who cannot be reached, and which providers there are, is said."""
# run: timeout=400
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import Hosts
from launching import Mark, TESTDIR, build_c, expect, mpirun, skip, wait_for_files

program = build_c("loop", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, size, n = 1 << 18, go = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime(), seconds = atof(argv[1]);
  for (int turn = 0; go; ++turn) {
    for (int k = 1; k <= n; k = 7 * k + turn % 3) {
      for (int i = 0; i < k; ++i) in[i] = turn + rank + i;
      MPI_Sendrecv(in, k, MPI_INT, (rank + 1) % size, turn, out, k, MPI_INT, (rank + size - 1) % size, turn, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < k; ++i) if (out[i] != turn + (rank + size - 1) % size + i) return 4;
    }
    MPI_Allreduce(in, out, n / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n / 4; ++i) if (out[i] != (turn + i) * size + size * (size - 1) / 2) return 5;
    if (turn == 1) {
      char name[32], done[32];
      snprintf(name, sizeof name, "part.%d", rank);
      snprintf(done, sizeof done, "pid.%d", rank);
      FILE *file = fopen(name, "w");
      fprintf(file, "%d", (int)getpid());
      fclose(file);
      rename(name, done);
    }
    go = MPI_Wtime() - begin < seconds;
    MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
""")
OVER = ["--set", "transports=self,shm,ofi"]
mark = Mark()

alone = mpirun("-n", 2, "--set", "transports=self,ofi", program, 0)
if "without libfabric" in alone.err or "libfabric cannot be opened" in alone.err:
    skip(alone.err.strip().splitlines()[-1])
expect(alone.code == 0 and alone.err == "", alone, "two ranks of one host, with messages over libfabric")
unknown = mpirun("-n", 2, "--set", "transports=self,ofi", "--set", "ofi_providers=nosuch", program, 0)
expect(unknown.code != 0 and "nosuch" in unknown.err and "it has: " in unknown.err and "tcp;ofi_rxm" in unknown.err, unknown, "an unknown provider")
left_out = mpirun("-n", 2, "--set", "transports=self,ofi", "--set", "ofi_exclude_providers=ofi_rxm,tcp,verbs,psm,psm2,psm3", program, 0)
expect(left_out.code != 0 and "ofi_exclude_providers" in left_out.err, left_out, "all providers left out")


def start(hosts, seconds, *options):
    for old in TESTDIR.glob("pid.*"):
        old.unlink()
    job = hosts.start("--host", "n0:2,n1:2", "-n", 4, *OVER, *options, program, seconds, env=mark.env)
    expect(wait_for_files([TESTDIR / f"pid.{rank}" for rank in range(4)], 60), job, "the job does not start")
    return job


hosts = Hosts(2)
job = start(hosts, 6)
frozen = int((TESTDIR / "pid.3").read_text())
os.kill(frozen, signal.SIGSTOP)
time.sleep(4)
expect(job.poll() is None, job.returncode, "the job ended while a rank slept")
os.kill(frozen, signal.SIGCONT)
out, err = job.communicate(timeout=90)
expect(job.returncode == 0 and err == b"", (job.returncode, err), "the job does not simply go on")
# The agent's way to the host is another one here.
job = start(hosts, 600, "--set", "ofi_lost_time=2s")
hosts.sh("n1", "ip link set eth0 down")
out, err = job.communicate(timeout=90)
expect(job.returncode != 0 and b"is lost: its machine has not answered for 2 s (knob ofi_lost_time)" in err, (job.returncode, err), "a cut link")
expect(mark.gone_within(10), mark.alive(), "something stays after a cut link")
hosts.sh("n1", "ip link set eth0 up")
hosts.wait_until_up()
hosts.sh("n0", "ip route add unreachable 10.77.0.2/32")
hosts.sh("n1", "ip route add unreachable 10.77.0.1/32")
ran = hosts.mpirun("--host", "n0:2,n1:2", "-n", 4, *OVER, "--set", "ofi_connect_timeout=2s", program, 0)
expect(ran.code != 0 and ran.seconds < 60 and "no connection from n" in ran.err and "by libfabric (provider " in ran.err, ran, "no way from host to host")
hosts.close()
