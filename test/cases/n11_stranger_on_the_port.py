# SPDX-License-Identifier: BSD-3-Clause
"""N11: strangers that connect to a running job's ports, send garbage or stay silent, do it no harm."""
# run: timeout=120
import os
import pathlib
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import TESTDIR, build_c, expect, start_mpirun, wait_for_files

program = build_c("traffic", r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int data[100000], got[100000];
int main(int argc, char **argv) {
  int rank, size, sum, stop = 0;
  char name[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  snprintf(name, sizeof name, "pid.%d", rank);
  FILE *file = fopen(name, "w");
  fprintf(file, "%d", (int)getpid());
  fclose(file);
  snprintf(name, sizeof name, "ready.%d", rank);
  fclose(fopen(name, "w"));
  for (int i = 0; !stop; i++) {
    if (i > 20) usleep(1000); else usleep(200000);  /* the first strangers come before most connections are made */
    for (int k = 0; k < 100000; k++) data[k] = rank + k + i;
    MPI_Sendrecv(data, 100000, MPI_INT, (rank + 1) % size, 0, got, 100000, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int k = 0; k < 100000; k++) if (got[k] != (rank + size - 1) % size + k + i) return 7;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != size * (size - 1) / 2) return 8;
    stop = rank == 0 && access("stop", F_OK) == 0;
    MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  if (rank == 0) puts("unharmed");
  return 0;
}
""")


def listening(pid):
    """(family, port) of the listening sockets of a process."""
    inodes = set()
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(link)
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    found = set()
    for family, table in ((socket.AF_INET, "tcp"), (socket.AF_INET6, "tcp6")):
        for line in pathlib.Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in inodes:
                address, port = fields[1].split(":")
                host = "::1" if family == socket.AF_INET6 else socket.inet_ntoa(struct.pack("<I", int(address, 16)))
                found.add((family, "127.0.0.1" if host == "0.0.0.0" else host, int(port, 16)))
    return found


job = start_mpirun("-n", 3, program, env={**os.environ, "OMPI_LITE_TRANSPORTS": "self,tcp"})
try:
    expect(wait_for_files([TESTDIR / f"ready.{r}" for r in range(3)]), job.args, "the job does not start")
    ranks = [int((TESTDIR / f"pid.{r}").read_text()) for r in range(3)]
    ports = set().union(*(listening(pid) for pid in [*ranks, job.pid]))
    of_ranks = set().union(*(listening(pid) for pid in ranks))
    expect(of_ranks, ranks, "no rank listens, though TCP is the only transport")
    strangers = []
    junk = [b"GET / HTTP/1.0\r\n\r\n", os.urandom(4096), b"\0" * 64, b"\xff" * 65536, b"x", b""]
    for _ in range(3):
        for family, host, port in ports:
            for text in junk:
                stranger = socket.socket(family)
                stranger.settimeout(5)
                try:
                    stranger.connect((host, port))
                    stranger.sendall(text)
                except OSError:  # refused or closed: as good as any other answer
                    stranger.close()
                    continue
                strangers.append(stranger)
        time.sleep(0.5)
        for stranger in strangers[::2]:
            stranger.close()
        expect(job.poll() is None, job.communicate() if job.poll() is not None else "", "the job ended early")
    time.sleep(2)
    (TESTDIR / "stop").touch()
    out, err = job.communicate(timeout=60)
    expect(job.returncode == 0 and b"unharmed" in out, (job.returncode, out, err[-2000:]), "the job was harmed")
finally:
    if job.poll() is None:
        job.terminate()
        job.wait(20)
