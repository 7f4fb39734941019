# SPDX-License-Identifier: BSD-3-Clause
"""L02, N06: names of this machine, repeated or with counts, start ranks here and ask nobody."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import socket

from launching import TESTDIR, expect, mpirun, script

# Whoever calls ssh, or a resolver that would time out, is seen.
script("ssh", "#!/bin/sh\ntouch ssh-was-called\nexit 255\n")
env = {"PATH": f"{TESTDIR}:{os.environ['PATH']}", "RES_OPTIONS": "attempts:1 timeout:30"}
(TESTDIR / "three").write_text("localhost\nlocalhost\nlocalhost\n")
own = socket.gethostname()
for options in (["--host", "localhost,localhost,localhost"], ["--host", "localhost:3"], ["--hostfile", "three"],
                ["--host", "127.0.0.1,127.0.0.1,127.0.0.1"], ["-hosts", "127.0.0.1:3"], ["-H", f"{own}:3"], ["--host", "[::1]:3"],
                ["--host", f"localhost,127.0.0.1,{own}"]):
    ran = mpirun(*options, "sh", "-c", "echo rank", env=env)
    expect(ran.code == 0 and ran.out == "rank\n" * 3, ran, "not three ranks by slots")
    ran = mpirun(*options, "-n", 3, "sh", "-c", "echo rank", env=env)
    expect(ran.code == 0 and ran.out == "rank\n" * 3, ran, "not three ranks")
    expect(ran.seconds < 5, ran, "too slow: was a resolver asked?")
expect(not (TESTDIR / "ssh-was-called").exists(), ran, "ssh was called")
ran = mpirun("--host", "far.example", "-n", 2, "true", env=env)
expect(ran.code != 0 and "far.example" in ran.err and ran.err.count("\n") == 1, ran, "another host is not refused by name")
