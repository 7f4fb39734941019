# SPDX-License-Identifier: BSD-3-Clause
"""Rank files as Open MPI has them: each rank on the host and on the cores that the file says; what is wrong is named with file,
line and word."""
# run: timeout=120
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from foreign import build_who, lines
from hosts import Hosts
from launching import TESTDIR, expect, mpirun

program = build_who()
ranks = TESTDIR / "ranks"
cpus = sorted(os.sched_getaffinity(0))
first, last = cpus[0], cpus[-1]
ranks.write_text(f"# cores by number of the OS\nrank 1=localhost slot=p{first}\nrank 0=localhost slot=p{last}\nrank 2=localhost\n")
affinity = ["sh", "-c", "echo $PMIX_RANK $(grep Cpus_allowed_list /proc/self/status | cut -f2)"]
for option in (["--rankfile", ranks], ["-rf", ranks], ["--map-by", f"rankfile:file={ranks}"]):
    ran = mpirun(*option, *affinity)
    got = dict(line.split() for line in ran.out.splitlines())
    expect(ran.code == 0 and got["0"] == str(last) and got["1"] == str(first), ran, "bound to other cores")
    expect(len(cpus) == 1 or "-" in got["2"] or "," in got["2"], ran, "a rank without slots is not bound")
ran = mpirun("--rankfile", ranks, "--report-bindings", "true")
expect(re.search(rf"rank 0 on \S+: bound to CPU {last}\n", ran.err), ran, "says where")
ran = mpirun("--rankfile", ranks, "-n", 2, "true")
expect(ran.code == 2 and "3 ranks, but 2" in ran.err, ran, "another number of ranks")

for text, line, word in (("rank 0=localhost slot=0\nrank 1=localhost slot=a", 2, "a"), ("rank 0=localhost\n\nrang 1=localhost", 3, "rang"),
                         ("rank 0=localhost\nrank 0=localhost", 2, "0"), ("rank 0=+n5 slot=0", 1, "+n5")):
    ranks.write_text(text)
    ran = mpirun("--rankfile", ranks, "true")
    expect(ran.code == 2 and str(ranks) in ran.err and f"line {line}" in ran.err and f'"{word}"' in ran.err and ran.err.count("\n") == 1,
           ran, f"file, line {line}, word {word}")
ranks.write_text("rank 0=localhost slot=5000")
ran = mpirun("--rankfile", ranks, "true")
expect(ran.code == 1 and str(ranks) in ran.err and "rank 0" in ran.err and "no core 5000" in ran.err, ran, "no such core")
ran = mpirun("--rankfile", "not-there", "true")
expect(ran.code == 2 and "not-there" in ran.err, ran, "no such file")

hosts = Hosts(2)
ranks.write_text("rank 0=n1 slot=0\nrank 1=n0 slot=0\nrank 2=n1 slot=0\n")
ran = hosts.mpirun("--rankfile", ranks, program)
expect(ran.code == 0 and sorted(ran.out.splitlines()) == lines([2, 1, 2], 0), ran, "hosts from the rank file")
ranks.write_text("rank 0=+n1\nrank 1=+n0\n")
ran = hosts.mpirun("--rankfile", ranks, "--host", "n0,n1", "sh", "-c", "echo $PMIX_RANK $(hostname)")
expect(ran.code == 0 and sorted(ran.out.splitlines()) == ["0 n1", "1 n0"], ran, "hosts by number")
ranks.write_text("rank 0=n0 slot=0\nrank 1=n1 slot=5000\n")
ran = hosts.mpirun("--rankfile", ranks, "true")
expect(ran.code == 1 and "rank 1 on host n1" in ran.err and "no core 5000" in ran.err and ran.out == "", ran, "no such core on another host")
ran = hosts.mpirun("--rankfile", ranks, "--host", "n0", "true")
expect(ran.code == 2 and "line 2" in ran.err and '"n1"' in ran.err, ran, "a host outside of the list")
hosts.close()
