# SPDX-License-Identifier: BSD-3-Clause
"""O01, O02, O06, O07, O08 (two hosts): input, output and last words of ranks on another host are whole, as on one."""
# run: timeout=300
import hashlib
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from hosts import LOGIN, RELAY_LOGIN, Hosts
from launching import TESTDIR, build_c, expect, script

hosts = Hosts(2)
# O01: input of every size, from a file and from a pipe, to a rank elsewhere.
source = bytes(range(256)) * 4096 * 20
for size in (0, 1, 57000, 65535, 65536, 65537, 1 << 20, 20 << 20):
    (TESTDIR / "in").write_bytes(source[:size])
    for login in (LOGIN, RELAY_LOGIN) if size in (65537, 20 << 20) else (LOGIN,):
        with open(TESTDIR / "in", "rb") as file:
            done = subprocess.run(hosts.enter("n0", os.environ["MPIRUN"], "--host", "n1:2", "-n", 2, "sh", "-c",
                                              "[ $PMIX_RANK = 1 ] || cat > out"), stdin=file, capture_output=True, cwd=TESTDIR,
                                  env={**os.environ, **hosts.environment(login)}, timeout=60)
        expect(done.returncode == 0 and (TESTDIR / "out").read_bytes() == source[:size], done, f"{size} bytes from a file")
    ran = hosts.mpirun("--host", "n1:2,n0", "-n", 3, "--stdin", "all", "sh", "-c", "cat > out.$PMIX_RANK", stdin=source[:size])
    for rank in range(3):
        expect(ran.code == 0 and (TESTDIR / f"out.{rank}").read_bytes() == source[:size], ran, f"{size} bytes to rank {rank} of all")
# O02: the end of the input, and ranks that do not read it.
for options, lines in (([], 1), (["--stdin", "all"], 4), (["--stdin", 2], 1), (["--stdin", "none"], 0)):
    ran = hosts.mpirun("--host", "n1:2,n0:2", *options, "-n", 4, "cat", stdin=b"hello\n")
    expect(ran.code == 0 and ran.out == "hello\n" * lines, ran, f"hello to {options}")
ran = hosts.mpirun("--host", "n1", "-n", 1, "true", stdin=source)
expect(ran.code == 0, ran, "a rank that does not read its input")
# O06: whole lines with the right tags, more than any pipe holds.
writer = build_c("lines", r"""
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  const char *rank = getenv("PMIX_RANK");
  for (int i = 0; i < 10000; ++i) {
    printf("%s line %d of a text that is long enough to be torn\n", rank, i);
    if (i % 10 == 0) fprintf(stderr, "%s error %d\n", rank, i);
  }
  return 0;
}
""")
for options, tag in (([], ""), (["--tag-output"], "[%d] ")):
    ran = hosts.mpirun("--host", "n0:2,n1:2", *options, "-n", 4, writer, login=RELAY_LOGIN)
    expected = sorted((tag and tag % rank) + f"{rank} line {i} of a text that is long enough to be torn" for rank in range(4) for i in range(10000))
    expect(ran.code == 0 and sorted(ran.out.splitlines()) == expected, (ran.code, len(ran.out), ran.err[:500]), "lines of stdout")
    expected = sorted((tag and tag % rank) + f"{rank} error {i}" for rank in range(4) for i in range(0, 10000, 10))
    expect(sorted(ran.err.splitlines()) == expected, (ran.code, ran.err[:500]), "lines of stderr")
# A reader that is slow holds the rank up and gets everything; one that leaves ends it.
job = hosts.start("--host", "n1", "-n", 1, "sh", "-c", "yes 0123456789abcdef | head -c 8000000; echo done > finished")
time.sleep(1)
expect(not (TESTDIR / "finished").exists(), job, "8 MB go where nobody reads")
out = job.communicate(timeout=60)[0]
expect(job.returncode == 0 and len(out) == 8000000, (job.returncode, len(out)), "all that the slow reader is owed")
job = hosts.start("--host", "n1", "-n", 1, "sh", "-c", "yes; exit 0", stderr=subprocess.DEVNULL)
job.stdout.read(100)
job.stdout.close()
expect(job.wait(timeout=20) is not None, job, "a rank that writes to a reader that has gone")
# O07: a prompt appears, and the last piece without a line end.
job = hosts.start("--host", "n1", "-n", 1, "sh", "-c", "printf 'name? '; read name; printf \"hello $name\"", stdin=subprocess.PIPE)
expect(os.read(job.stdout.fileno(), 100) == b"name? ", job, "the prompt")
job.stdin.write(b"you\n")
job.stdin.close()
expect(job.stdout.read() == b"hello you" and job.wait(timeout=20) == 0, job, "the answer to the answer")
# O08: last words come before the message.
boom = build_c("boom", r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 2) {
    fprintf(stderr, "boom\n");
    MPI_Abort(MPI_COMM_WORLD, 7);
  }
  for (int i = 0; i < 1000; ++i) usleep(100000);
  return 0;
}
""")
ran = hosts.mpirun("--host", "n0:2,n1:2", "-n", 4, boom)
lines = ran.err.splitlines()
expect(ran.code == 7 and "boom" in lines and lines.index("boom") < min(i for i, l in enumerate(lines) if l.startswith("mpirun:")), ran, "boom")
expect(sum(line.startswith("mpirun:") for line in lines) == 1 and "rank 2 (host n1" in ran.err, ran, "one message with rank and host")
# --output-filename writes where the rank is.
ran = hosts.mpirun("--host", "n0,n1", "--output-filename", TESTDIR / "log", "sh", "-c", "hostname; echo err >&2")
expect(ran.code == 0 and [(TESTDIR / f"log.{r}.out").read_text() for r in (0, 1)] == ["n0\n", "n1\n"], ran, "files of output")
hosts.close()
