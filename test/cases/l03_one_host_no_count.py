# SPDX-License-Identifier: BSD-3-Clause
"""L03: a host without a number of slots is no limit."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import TESTDIR, expect, mpirun

(TESTDIR / "hosts").write_text("localhost\n")
for options in (["--host", "localhost"], ["--hostfile", "hosts"], []):
    ran = mpirun("-n", 4, *options, "echo", "rank")
    expect(ran.code == 0 and ran.out == "rank\n" * 4 and ran.err == "", ran, "four ranks do not just run")
