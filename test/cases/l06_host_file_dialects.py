# SPDX-License-Identifier: BSD-3-Clause
"""L06: both dialects of host files; garbage is named with file, line and word."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import TESTDIR, expect, mpirun

good = TESTDIR / "good"
good.write_bytes(b"# a comment\r\n\r\n  localhost:2   # two\r\n127.0.0.1 slots=2\r\nlocalhost slots=1 max_slots=4\r\n")
for option in ("--hostfile", "-f", "-machinefile", "-hostfile", "--machinefile"):
    ran = mpirun(option, good, "echo", "rank")
    expect(ran.code == 0 and ran.out == "rank\n" * 5, ran, "five slots do not give five ranks")
cases = {
    "localhost\nlocalhost slots=2 garbage\n": (2, "garbage"),
    "localhost slots=two\n": (1, "slots=two"),
    "localhost slots=0\n": (1, "slots=0"),
    "\n\nlocalhost:x\n": (3, "localhost:x"),
    "local host\n": (1, "host"),
    "-n 2\n": (1, "-n"),
    "localhost slots 2\n": (1, "slots"),
}
bad = TESTDIR / "bad"
for text, (line, word) in cases.items():
    bad.write_text(text)
    ran = mpirun("--hostfile", bad, "-n", 1, "true")
    expect(ran.code not in (0, 127), ran, f"accepted: {text!r}")
    expect(str(bad) in ran.err and f"line {line}" in ran.err and f'"{word}"' in ran.err, ran, f"file, line {line}, word {word}?")
    expect(ran.err.count("\n") == 1, ran, "more than one message")
bad.write_text("# nothing\n")
ran = mpirun("--hostfile", bad, "-n", 1, "true")
expect(ran.code != 0 and "no host" in ran.err, ran, "an empty host file")
ran = mpirun("--hostfile", "not-there", "-n", 1, "true")
expect(ran.code != 0 and "not-there" in ran.err and "No such file" in ran.err, ran, "a missing host file")
ran = mpirun("--hostfile", TESTDIR, "-n", 1, "true")
expect(ran.code != 0 and "directory" in ran.err, ran, "a folder as host file")
