# SPDX-License-Identifier: BSD-3-Clause
"""L17: a TMPDIR that is long, read-only, full or missing does not matter."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import subprocess

from launching import TESTDIR, build_c, expect, mpirun, run, script, command

hello = build_c("hello", r"""
#include <mpi.h>
#include <stdio.h>
int main(int c, char **v) { int n; MPI_Init(&c, &v); MPI_Comm_size(MPI_COMM_WORLD, &n); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); printf("%d\n", n); return 0; }
""")
long_folder = TESTDIR / ("x" * 80) / ("y" * 80)
long_folder.mkdir(parents=True)
for folder in (long_folder, TESTDIR / "not-there", "/proc", "/dev/null"):
    ran = mpirun("-n", 4, hello, env={"TMPDIR": str(folder), "TMP": str(folder), "TEMP": str(folder)})
    expect(ran.code == 0 and ran.out == "4\n" * 4, ran, f"TMPDIR={folder}")
# Read-only and full file systems, where we may mount some.
inside = script("inside", f"""#!/bin/sh
set -e
mkdir -p ro full
mount -t tmpfs -o ro none ro
mount -t tmpfs -o size=1m none full
head -c 2000000 /dev/zero > full/fill 2> /dev/null || true
TMPDIR=$PWD/ro "$@"
TMPDIR=$PWD/full "$@"
""")
may_mount = subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0
if may_mount:
    ran = run(["unshare", "--mount", inside, *command("MPIRUN"), "-n", "4", hello])
    expect(ran.code == 0 and ran.out == "4\n" * 8, ran, "read-only and full TMPDIR")
else:
    print("read-only and full TMPDIR not tried: no right to mount")
expect(os.listdir(long_folder) == [], os.listdir(long_folder), "litter in TMPDIR")
