# SPDX-License-Identifier: BSD-3-Clause
"""L04: the map is shown, and with --do-not-launch nothing runs (one host; several hosts come later)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import TESTDIR, expect, mpirun

ran = mpirun("-n", 3, "--display-map", "--do-not-launch", "touch", "ran")
expect(ran.code == 0 and not (TESTDIR / "ran").exists(), ran, "something ran")
lines = ran.out.splitlines()
expect(len(lines) == 3 and all(f"rank {r} " in line for r, line in enumerate(lines)), ran, "not one line a rank")
ran = mpirun("-n", 2, "--map-by", "node", "--display-map", "echo", "x")
expect(ran.code == 0 and ran.out.count("map: ") == 2 and ran.out.count("x\n") == 2, ran, "map and run")
