# SPDX-License-Identifier: BSD-3-Clause
"""L09: the program's arguments arrive byte for byte."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import TESTDIR, expect, mpirun

ran = mpirun("-n", 1, "bash", "-c", '"$@"', "", "echo", "1   2   3")
expect(ran.code == 0 and ran.out == "1   2   3\n", ran, "blanks are lost")
show = TESTDIR / "show.py"
show.write_text("import os, sys\nsys.stdout.write(repr([os.fsencode(a) for a in sys.argv[1:]]) + '\\n')\n")
words = ["", 'a"b', "it's", "*", "two\nlines", "$HOME", "`ls`", "back\\slash", "-n", "--help", "tab\there", "\xe9\u20ac", " ", "a=b", "::"]
for ranks in (1, 2):
    ran = mpirun("-n", ranks, sys.executable, show, *words)
    expect(ran.code == 0 and ran.out == (repr([os.fsencode(w) for w in words]) + "\n") * ranks, ran, "other arguments arrive")
ran = mpirun("-n", 1, "printf", "%s|", "x" * 100000)
expect(ran.code == 0 and ran.out == "x" * 100000 + "|", ran, "a long argument")
