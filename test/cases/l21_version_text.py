# SPDX-License-Identifier: BSD-3-Clause
"""L21: --version names the product; no arguments give the usage and a failure."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import command, expect, mpirun, run

for tool in ("MPIRUN", "MPICC", "MPICXX"):
    ran = run([*command(tool), "--version"])
    expect(ran.code == 0 and "ompi-lite" in ran.out.splitlines()[0] and any(c.isdigit() for c in ran.out.splitlines()[0]), ran, "version")
for option in ("--help", "-h", "-help"):
    ran = mpirun(option)
    expect(ran.code == 0 and "usage" in ran.out and "--hostfile" in ran.out and ran.err == "", ran, "help")
ran = mpirun()
expect(ran.code != 0 and "usage" in ran.err and ran.out == "", ran, "no arguments")
