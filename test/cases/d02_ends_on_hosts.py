# SPDX-License-Identifier: BSD-3-Clause
"""D01, D02, D03, D05, D06, D07, D09, D11 (two hosts): exit codes, signals and cleanup across hosts are as on one."""
# run: timeout=400
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import LOGIN, RELAY_LOGIN, Hosts
from launching import Mark, TESTDIR, build_c, expect, script, shared_objects, wait_for_files

program = build_c("ends", r"""
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void ready(int rank) {
  char name[64];
  snprintf(name, sizeof name, "pid.%d.part", rank);
  FILE *file = fopen(name, "w");
  fprintf(file, "%d", (int)getpid());
  fclose(file);
  char done[64];
  snprintf(done, sizeof done, "pid.%d", rank);
  rename(name, done);
}
int main(int argc, char **argv) {
  int rank, size, one = 1, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (argc > 1 && rank == size - 1) {
    if (!strcmp(argv[1], "_exit")) _exit(3);
    if (!strcmp(argv[1], "exit0")) exit(0);
    if (!strcmp(argv[1], "abort")) MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
    if (!strcmp(argv[1], "kill")) raise(atoi(argv[2]));
  }
  ready(rank);
  if (rank % 2) for (;;) sleep(1);
  for (;;) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
""")
hosts = Hosts(2)
mark = Mark()
before = shared_objects()
for login in (LOGIN, RELAY_LOGIN):
    for arguments, code, words in ((["_exit"], 3, "exited with code 3 without MPI_Finalize"), (["exit0"], 1, "left without MPI_Finalize"),
                                   (["abort", 7], 7, "ended the job with code 7"), (["abort", 0], 1, "ended the job with code 0"),
                                   (["kill", 9], 137, "killed by signal 9"), (["kill", 11], 139, "killed by signal 11")):
        for places in ("n0:2,n1:2", "n1:2,n0:2", "n1:4"):
            if login == RELAY_LOGIN and places != "n0:2,n1:2":
                continue
            ran = hosts.mpirun("--host", places, "-n", 4, program, *arguments, login=login, env=mark.env, timeout=30)
            where = places.split(",")[-1].split(":")[0]
            expect(ran.code == code and f"rank 3 (host {where}, pid " in ran.err and words in ran.err, ran, f"{arguments} on {places}")
            expect(sum(line.startswith("mpirun:") for line in ran.err.splitlines()) == 1, ran, "one message")
            expect(mark.gone_within(5), mark.alive(), f"{arguments} on {places}: something stays")


def start(*options, login=LOGIN, words=(program,)):
    """A job of four ranks on two hosts that all run."""
    for old in TESTDIR.glob("pid.*"):
        old.unlink()
    job = hosts.start("--host", "n0:2,n1:2", "-n", 4, *options, *words, login=login, env=mark.env)
    expect(wait_for_files([TESTDIR / f"pid.{rank}" for rank in range(4)]), job, "the job does not start")
    return job


# D06: signals to mpirun reach handlers on both hosts before anything harder does.
handler = script("handler", """#!/bin/sh
trap 'echo int > got.INT.$PMIX_RANK; exit 0' INT
trap 'echo term > got.TERM.$PMIX_RANK; exit 0' TERM
trap 'echo usr1 > got.USR1.$PMIX_RANK' USR1
echo > pid.$PMIX_RANK
while :; do sleep 0.1; done
""")
for login in (LOGIN, RELAY_LOGIN):
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        job = start(login=login, words=(handler,))
        job.send_signal(signal.SIGUSR1)
        expect(wait_for_files([TESTDIR / f"got.USR1.{rank}" for rank in range(4)]), job, "SIGUSR1 is passed on")
        job.send_signal(number)
        out, err = job.communicate(timeout=20)
        expect(job.returncode == code, (job.returncode, err), f"the code after {number}")
        name = signal.Signals(number).name[3:]
        expect(all((TESTDIR / f"got.{name}.{rank}").exists() for rank in range(4)), os.listdir(TESTDIR), f"handlers of {name}")
        expect(mark.gone_within(5), mark.alive(), "something stays")
        for old in TESTDIR.glob("got.*"):
            old.unlink()
# One that listens to nothing: the second signal does not wait.
stubborn = script("stubborn", "#!/bin/sh\ntrap '' INT TERM\necho > pid.$PMIX_RANK\nwhile :; do sleep 0.1; done\n")
job = start(words=(stubborn,))
job.send_signal(signal.SIGINT)
time.sleep(0.2)
job.send_signal(signal.SIGINT)
expect(job.wait(timeout=20) == 130 and mark.gone_within(5), mark.alive(), "stubborn ranks")
# D07: mpirun is killed; a daemon is killed.
for login in (LOGIN, RELAY_LOGIN):
    job = start(login=login)
    job.kill()
    job.wait()
    expect(mark.gone_within(10), mark.alive(), "after kill -9 of mpirun")
    job = start(login=login)
    daemon = [int(line.split()[0]) for line in mark.alive() if "ompi_lite_daem" in line]
    expect(len(daemon) == 1, mark.alive(), "one daemon, on the other host")
    os.kill(daemon[0], signal.SIGKILL)
    out, err = job.communicate(timeout=20)
    expect(job.returncode == 1 and b"host n1" in err and b"lost" in err and err.count(b"mpirun:") == 1, (job.returncode, err), "a daemon dies")
    expect(mark.gone_within(10), mark.alive(), "after kill -9 of a daemon")
# D09: the time limit, with stacks of both hosts.
ran = hosts.mpirun("--host", "n0:2,n1:2", "-n", 4, "--timeout", 2, program, env=mark.env, timeout=30)
expect(ran.code == 124 and 2 <= ran.seconds < 12 and "time limit" in ran.err, ran, "the time limit")
expect(mark.gone_within(5), mark.alive(), "after the time limit")
expect(shared_objects() <= before, shared_objects() - before, "litter")
hosts.close()
