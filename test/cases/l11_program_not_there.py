# SPDX-License-Identifier: BSD-3-Clause
"""L11: a program that cannot run is named once, with host and true cause, at once."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import socket

from launching import TESTDIR, expect, mpirun, script

host = socket.gethostname()
bad_interpreter = script("bad-interpreter", "#!/not/there/python\nprint()\n")
no_x = script("no-x", "#!/bin/sh\necho\n")
no_x.chmod(0o644)
(TESTDIR / "folder").mkdir()
binary = script("binary", "x")
binary.write_bytes(b"\x00\x01\x02\x03 not a program")
cases = [("./nope", 127, ["No such file"]), ("nope-in-path", 127, ["PATH"]), (str(bad_interpreter), 127, ["/not/there/python", "interpreter"]),
         (str(no_x), 126, ["not executable"]), ("./folder", 126, ["folder"]), ("./binary", 126, ["neither"]),
         ("./no-x/nope", 127, ["Not a directory"])]
for name, code, words in cases:
    for before in ([], ["-n", 1, "sleep", "60", ":"]):  # also as the second program of a job
        ran = mpirun(*before, "-n", 2, name)
        expect(ran.code == code, ran, f"exit code {code} expected for {name}")
        expect(ran.seconds < 2, ran, "too slow")
        expect(ran.err.count("\n") == 1 and name in ran.err and host in ran.err, ran, "not one message with name and host")
        expect(all(w in ran.err for w in words), ran, f"the cause is not told: {words}")
no_line = script("no-line", "echo from a script without first line\n")
ran = mpirun("-n", 1, "./no-line")
expect(ran.code == 0 and "without first line" in ran.out, ran, "a script without #! runs in every shell")
ran = mpirun("-n", 2, "-wdir", TESTDIR / "not-there", "true")
expect(ran.code != 0 and "not-there" in ran.err and ran.err.count("\n") == 1, ran, "a missing working folder")
ran = mpirun("-n", 2, "-wdir", TESTDIR / "folder", "pwd")
expect(ran.code == 0 and ran.out == f"{TESTDIR}/folder\n" * 2, ran, "the working folder")
ran = mpirun("-n", 1, "no-line")
expect(ran.code == 0 and "without first line" in ran.out, ran, "a program of the current folder, without ./")
