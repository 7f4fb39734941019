# SPDX-License-Identifier: BSD-3-Clause
"""O02: the end of stdin reaches whoever reads it, and all end at once."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import expect, mpirun

for options, copies in (([], 1), (["--stdin", "0"], 1), (["--stdin", "all"], 4), (["-s", "all"], 4), (["--stdin", 2], 1),
                        (["--stdin", "none"], 0)):
    ran = mpirun("-n", 4, *options, "cat", stdin=b"hello\n")
    expect(ran.code == 0 and ran.out == "hello\n" * copies, ran, f"{copies} times hello")
    expect(ran.seconds < 5, ran, "the end comes late")
ran = mpirun("-n", 4, "--stdin", 2, "--tag-output", "cat", stdin=b"hello\n")
expect(ran.out == "[2] hello\n", ran, "rank 2 reads")
# One of the readers goes away early.
ran = mpirun("-n", 3, "--stdin", "all", "sh", "-c", "[ $PMIX_RANK = 1 ] || exec cat", stdin=b"x" * 300000 + b"\n")
expect(ran.code == 0 and ran.out.count("x") == 600000, ran, "two of three readers")
