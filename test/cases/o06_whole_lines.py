# SPDX-License-Identifier: BSD-3-Clause
"""O06: 8 ranks write 80 000 + 8 000 lines; all arrive, each whole, each with its one right tag."""
# run: timeout=240
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import collections
import re

from launching import TESTDIR, build_c, command, expect, mpirun, run

LINES = 10000
program = build_c("talker", r"""
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int rank = atoi(getenv("PMIX_RANK"));
  for (int i = 0; i < 10000; ++i) {
    printf("out rank %d line %d %.*s\n", rank, i, i % 60, "------------------------------------------------------------");
    if (i % 10 == 0) fprintf(stderr, "err rank %d line %d\n", rank, i);
  }
  return 0;
}
""")


def check(ran, text, pattern, per_rank):
    seen = collections.Counter()
    for line in text.splitlines():
        match = re.fullmatch(pattern, line)
        expect(match, ran, f"a torn or wrongly tagged line: {line!r}")
        seen[int(match["rank"])] += 1
    expect(seen == {r: per_rank for r in range(8)}, ran, f"lines are lost: {seen}")


for options in ([], ["--tag-output"], ["-l"], ["-prepend-rank"]):
    before = r"\[(?P<rank>\d+)\] " if options else ""
    name = r"(?P=rank)" if options else r"(?P<rank>\d+)"
    ran = mpirun("-n", 8, *options, program, timeout=120)
    expect(ran.code == 0, ran, "the job fails")
    check(ran, ran.out, rf"{before}out rank {name} line \d+ -*", LINES)
    check(ran, ran.err, rf"{before}err rank {name} line \d+", LINES // 10)
    # Both into one pipe.
    ran = run(["bash", "-c", '"$@" 2>&1 | cat', "bash", *command("MPIRUN"), "-n", "8", *options, program], timeout=120)
    check(ran, "".join(line for line in ran.out.splitlines(True) if "out rank" in line), rf"{before}out rank {name} line \d+ -*", LINES)
    check(ran, "".join(line for line in ran.out.splitlines(True) if "err rank" in line), rf"{before}err rank {name} line \d+", LINES // 10)
# Files instead of our output.
ran = mpirun("-n", 8, "--output-filename", TESTDIR / "deep" / "log", program)
expect(ran.code == 0 and ran.out == "" and ran.err == "", ran, "output shows up here")
for rank in range(8):
    expect((TESTDIR / "deep" / f"log.{rank}.out").read_text().count("\n") == LINES, ran, "a file of output")
    expect((TESTDIR / "deep" / f"log.{rank}.err").read_text().count("\n") == LINES // 10, ran, "a file of errors")
# A reader that goes away ends the job; it does not hang.
ran = run(["bash", "-c", '"$@" | head -1; exit ${PIPESTATUS[0]}', "bash", *command("MPIRUN"), "-n", "2", "yes"], timeout=30)
expect(ran.out == "y\n", ran, "head")
# A reader that is slow gets everything, also long after the ranks have gone; a full disk is told.
ran = run(["bash", "-c", '"$@" | (sleep 4; wc -l); exit ${PIPESTATUS[0]}', "bash", *command("MPIRUN"), "-n", "2", "seq", "100000"], timeout=60)
expect(ran.code == 0 and ran.out.strip() == "200000", ran, "a slow reader")
if os.path.exists("/dev/full"):
    ran = run(["bash", "-c", '"$@" > /dev/full', "bash", *command("MPIRUN"), "-n", "1", "echo", "x"], timeout=30)
    expect(ran.code != 0 and "No space left" in ran.err, ran, "a full disk")
