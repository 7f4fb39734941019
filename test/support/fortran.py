# SPDX-License-Identifier: BSD-3-Clause
"""What the cases in Fortran share: is there a compiler, and compile a few lines."""

import os
import sys

from launching import TESTDIR, expect, run

MPIFORT = os.path.join(os.environ["PREFIX"], "bin/mpifort")


def need_fortran():
    """Ends the case as skipped where the installation has no Fortran."""
    asked = run([MPIFORT, "-show"])
    if asked.code != 0:
        print(asked.err.strip())
        sys.exit(77)


def try_to_compile(name, text, *flags, suffix=".f90"):
    """The compiler's run; the program, if there is one, is TESTDIR/NAME."""
    (TESTDIR / (name + suffix)).write_text(text)
    return run([MPIFORT, *flags, "-o", name, name + suffix])


def compiled(name, text, *flags, suffix=".f90"):
    done = try_to_compile(name, text, *flags, suffix=suffix)
    expect(done.code == 0, done, f"{name} does not compile")
    return TESTDIR / name
