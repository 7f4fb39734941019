# SPDX-License-Identifier: BSD-3-Clause
"""The files of the source tree, for the checks beside this file."""

import os
import pathlib
import re
import sys

TOP = pathlib.Path(os.environ.get("TOP_SRCDIR") or pathlib.Path(__file__).resolve().parents[2])
C_PROGRAM = re.compile(r"test/(.*\.c$|(mpi|cases|bench|abi)/.*\.h$|support/(check|comms)\.h$)")  # sees only <mpi.h>
ROOTS = ("ompi_lite", "btl", "pml", "coll", "launcher", "test", "docs")


def files(*suffixes, roots=ROOTS):
    """Paths relative to TOP, sorted; without generated config headers."""
    found = (p for root in roots for p in (TOP / root).rglob("*") if p.suffix in suffixes and p.is_file())
    return sorted(p.relative_to(TOP) for p in found if p.name != "config.h")


def is_generated(path):
    return ".gen." in path.name


def report(name, problems):
    """Prints what is wrong and ends the program."""
    for problem in problems:
        print(problem)
    print(f"{name}: {len(problems)} problems" if problems else f"{name}: ok")
    sys.exit(1 if problems else 0)
