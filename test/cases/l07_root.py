# SPDX-License-Identifier: BSD-3-Clause
"""L07: root needs no permission, and the option that other launchers ask for is accepted."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import command, expect, mpirun, run, skip

if os.geteuid() != 0:
    skip("needs uid 0")
for options in ([], ["--allow-run-as-root"]):
    ran = mpirun(*options, "-n", 2, "id", "-u")
    expect(ran.code == 0 and ran.out == "0\n0\n" and ran.err == "", ran, "root may not run")
mpiexec = os.path.join(os.path.dirname(command("MPIRUN")[0]), "mpiexec")
ran = run([mpiexec, "-n", "2", "id", "-u"])
expect(ran.code == 0 and ran.out == "0\n0\n", ran, "root may not run mpiexec")
