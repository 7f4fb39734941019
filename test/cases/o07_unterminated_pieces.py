# SPDX-License-Identifier: BSD-3-Clause
"""O07: text without a line end is shown, and tags stand only where lines begin."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import subprocess
import time

from launching import TESTDIR, command, expect, mpirun

(TESTDIR / "f0").write_text("ABCD")
(TESTDIR / "f1").write_text("EFGH")
for i in range(60):
    ran = mpirun("-n", 2, "--tag-output", "sh", "-c", "exec cat f$PMIX_RANK")
    expect(ran.code == 0 and sorted(ran.out.splitlines()) == ["[0] ABCD", "[1] EFGH"], ran, f"turn {i}")
for i in range(20):
    ran = mpirun("-n", 2, "sh", "-c", "exec cat f$PMIX_RANK")
    expect(ran.code == 0 and ran.out in ("ABCDEFGH", "EFGHABCD"), ran, "bytes are added or lost without tags")
ran = mpirun("-n", 1, "--tag-output", "sh", "-c", "printf one; sleep 0.3; printf two; sleep 0.3; echo three; printf four")
expect(ran.out == "[0] onetwothree\n[0] four\n", ran, "a line in pieces")
binary = bytes(range(256)) * 1000 + b"end"
(TESTDIR / "binary").write_bytes(binary)
ran = mpirun("-n", 1, "cat", "binary", text=False)
expect(ran.out == binary, ran.code, "binary output")
# A prompt appears while its rank waits for the answer, and another rank talks.
for options, wanted in (([], b"name? "), (["--tag-output"], b"[0] name? ")):
    process = subprocess.Popen([*command("MPIRUN"), "-n", "2", *options, "sh", "-c",
                                'if [ $PMIX_RANK = 0 ]; then printf "name? "; read x; echo "hello $x"; fi'],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    os.set_blocking(process.stdout.fileno(), False)
    seen, end = b"", time.monotonic() + 10
    while seen != wanted and time.monotonic() < end:
        seen += process.stdout.read() or b""
        time.sleep(0.02)
    expect(seen == wanted, seen, "the prompt does not appear")
    os.set_blocking(process.stdout.fileno(), True)
    rest, _ = process.communicate(b"you\n", timeout=20)
    expect(rest == b"hello you\n" and process.returncode == 0, rest, "the answer")
