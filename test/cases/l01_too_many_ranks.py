# SPDX-License-Identifier: BSD-3-Clause
"""L01, the far end: more ranks than mpirun has file descriptors for are refused at once, with the limit and what it is enough for."""
# run: timeout=60
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import expect, mpirun

for words in (["-n", 2000000000, "true"], ["-n", 2000000000, "true", ":", "-n", 2000000000, "true"]):
    ran = mpirun(*words)
    expect(ran.code == 1 and ran.seconds < 10, ran, "refused, and at once")
    expect(ran.err.count("\n") == 1 and f"{2000000000} ranks" in ran.err and "ulimit -n" in ran.err, ran, "one message with number and limit")
