# SPDX-License-Identifier: BSD-3-Clause
"""D12 (two hosts): a rank or a whole host that is frozen for some seconds simply goes on; a cut link ends the job on both sides within a time
that can be set, with one message."""
# run: timeout=300
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import Hosts
from launching import Mark, TESTDIR, build_c, expect, wait_for_files

program = build_c("loop", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, size, n = 1 << 20, go = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
  double begin = MPI_Wtime(), seconds = atof(argv[1]);
  for (int turn = 0; go; ++turn) {
    for (int i = 0; i < n; ++i) in[i] = turn + rank;
    MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; ++i) if (out[i] != turn * size + size * (size - 1) / 2) return 5;
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
mark = Mark()


def start(hosts, seconds, *options):
    for old in TESTDIR.glob("pid.*"):
        old.unlink()
    job = hosts.start("--host", "n0:2,n1:2", "-n", 4, *options, program, seconds, env=mark.env)
    expect(wait_for_files([TESTDIR / f"pid.{rank}" for rank in range(4)]), job, "the job does not start")
    return job


hosts = Hosts(2)
job = start(hosts, 6)
frozen = [int((TESTDIR / "pid.3").read_text())]
os.kill(frozen[0], signal.SIGSTOP)
time.sleep(4)
expect(job.poll() is None, job.returncode, "the job ended while a rank slept")
os.kill(frozen[0], signal.SIGCONT)
out, err = job.communicate(timeout=60)
expect(job.returncode == 0 and err == b"", (job.returncode, err), "the job does not simply go on")
# All of a host, its daemon too, for less than the time after which it would be lost.
job = start(hosts, 6, "--set", "lost_host_time=20s")
frozen = [int(line.split()[0]) for line in mark.alive() if "ompi_lite_daem" in line] + [int((TESTDIR / f"pid.{r}").read_text()) for r in (2, 3)]
for pid in frozen:
    os.kill(pid, signal.SIGSTOP)
time.sleep(5)
expect(job.poll() is None, job.returncode, "the job ended while a host slept")
for pid in frozen:
    os.kill(pid, signal.SIGCONT)
out, err = job.communicate(timeout=60)
expect(job.returncode == 0 and err == b"", (job.returncode, err), "the job does not simply go on")
# For longer: it is lost, and what is left there ends when it wakes.
job = start(hosts, 600, "--set", "lost_host_time=2s")
frozen = [int(line.split()[0]) for line in mark.alive() if "ompi_lite_daem" in line]
os.kill(frozen[0], signal.SIGSTOP)
out, err = job.communicate(timeout=40)
expect(job.returncode == 1 and b"host n1" in err and b"lost_host_time" in err and err.count(b"mpirun:") == 1, (job.returncode, err), "a silent host")
for pid in frozen:
    try:
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        pass
expect(mark.gone_within(10), mark.alive(), "something stays of a lost host")
# The link between the ranks is cut. (The agent's way to the host is another one here.)
job = start(hosts, 600, "--set", "tcp_lost_time=2s")
hosts.sh("n1", "ip link set eth0 down")
out, err = job.communicate(timeout=60)
expect(job.returncode != 0 and b"is lost: its machine has not answered for 2 s (knob tcp_lost_time)" in err, (job.returncode, err), "a cut link")
expect(mark.gone_within(10), mark.alive(), "something stays after a cut link")
hosts.close()
