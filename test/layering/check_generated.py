# SPDX-License-Identifier: BSD-3-Clause
"""Fails where a committed generated file is not what its generator writes today."""

import subprocess
import sys

import tree

GENERATORS = ("ompi_lite/abi/generate.py", "ompi_lite/fortran/generate.py")  # each takes --check: write nothing, name what differs, exit 1


def main():
    problems = []
    for generator in GENERATORS:
        run = subprocess.run([sys.executable, tree.TOP / generator, "--check"], capture_output=True, text=True)
        if run.returncode != 0:
            problems += [f"{generator}: {line}" for line in (run.stdout + run.stderr).splitlines()] or [f"{generator} failed"]
    tree.report("generated files", problems)


main()
