# SPDX-License-Identifier: BSD-3-Clause
"""Looks with nm at what was built: the exact exports of libmpi_abi.so, no MPI call from below the door, no static constructor."""

import os
import pathlib
import re
import subprocess

import tree

BUILD = pathlib.Path(os.environ["TOP_BUILDDIR"])
FUNCTIONS = 664


def nm(*arguments):
    """(object, type, symbol) of each line that nm prints, versions cut off."""
    output = subprocess.run(["nm", "-A", "-P", *map(str, arguments)], check=True, capture_output=True, text=True).stdout
    for line in output.splitlines():
        where, symbol, kind = re.match(r"(.*?): (\S+) (\S)", line).groups()
        yield where, kind, symbol.split("@")[0]


def standard_names():
    text = (tree.TOP / "ompi_lite/include/mpi.h").read_text()
    return set(re.findall(r"^(?:int|double|MPI_\w+)\s+(MPI_\w+)\(", text, re.M))


def check_exports(problems):
    names = standard_names()
    if len(names) != FUNCTIONS:
        problems.append(f"mpi.h declares {len(names)} functions, the standard {FUNCTIONS}")
    exported = {symbol: kind for _, kind, symbol in nm("-D", "--defined-only", BUILD / ".libs/libmpi_abi.so") if kind != "A"}
    for name in sorted(names):
        for wanted, kinds, why in ((name, "WV", "weak"), ("P" + name, "T", "strong"), ("OL" + name, "TW", "there")):
            if exported.get(wanted, "") not in kinds or wanted not in exported:
                problems.append(f"libmpi_abi.so: {wanted} is {exported.get(wanted, 'not exported')}, should be {why}")
    extra = [s for s in exported if s not in names and s[1:] not in names and not re.match(r"(MPIX_|PMPIX_|OLMPI_)\w+$", s)]
    problems += [f"libmpi_abi.so exports {symbol}" for symbol in sorted(extra)]


def check_below_the_door(problems):
    for where, kind, symbol in nm(BUILD / ".libs/libompi_lite.a"):
        if kind == "U" and re.match(r"(P|OL)?MPIX?_", symbol):
            problems.append(f"{where} calls {symbol}")


def check_static_constructors(problems):
    for archive in ("libompi_lite.a", "libompi_lite_abi.a"):
        for where, _, symbol in nm(BUILD / ".libs" / archive):
            if symbol.startswith("_GLOBAL__sub_I_"):
                problems.append(f"{where} has a static constructor ({symbol})")


def main():
    problems = []
    check_exports(problems)
    check_below_the_door(problems)
    check_static_constructors(problems)
    tree.report("symbols", problems)


main()
