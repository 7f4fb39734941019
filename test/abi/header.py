# SPDX-License-Identifier: BSD-3-Clause
"""mpi.h against the standard: the value of every constant, the size of every type, the same prototypes under both names.
The header must be plain C99 and C++11, without a warning."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = pathlib.Path(os.environ.get("TOP_SRCDIR") or HERE.parents[1])
INCLUDE = TOP / "ompi_lite/include"
FUNCTIONS = 664
CC, CXX = shlex.split(os.environ.get("CC", "cc")), shlex.split(os.environ.get("CXX", "c++"))
STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror", f"-I{INCLUDE}"]
SIZES = {"MPI_Aint": 8, "MPI_Count": 8, "MPI_Offset": 8, "MPI_Status": 32, "MPI_Comm": 8, "MPI_Datatype": 8,
         "MPI_Errhandler": 8, "MPI_File": 8, "MPI_Group": 8, "MPI_Info": 8, "MPI_Message": 8, "MPI_Op": 8, "MPI_Request": 8,
         "MPI_Session": 8, "MPI_Win": 8, "MPI_T_enum": 8, "MPI_T_cvar_handle": 8, "MPI_T_pvar_handle": 8,
         "MPI_T_pvar_session": 8, "MPI_T_event_registration": 8, "MPI_T_event_instance": 8, "MPI_T_cb_safety": 4,
         "MPI_T_source_order": 4}
OFFSETS = {"MPI_SOURCE": 0, "MPI_TAG": 4, "MPI_ERROR": 8, "MPI_internal": 12}


def program():
    """A C program that prints each wrong value and returns how many there are."""
    lines = ["#include <mpi.h>", "#include <stddef.h>", "#include <stdio.h>", "static int wrong;",
             "static void expect(const char *what, long value, long right) {",
             '  if (value != right) { printf("%s is %ld, not %ld\\n", what, value, right); ++wrong; }', "}", "int main(void) {"]
    for line in (HERE / "values.tsv").read_text().splitlines():
        if not line.startswith("#"):
            name, value = line.split("\t")
            lines.append(f'  expect("{name}", (long)({name}), {value}L);')
    lines += [f'  expect("sizeof({name})", (long)sizeof({name}), {size}L);' for name, size in SIZES.items()]
    lines += [f'  expect("offset of {name}", (long)offsetof(MPI_Status, {name}), {at}L);' for name, at in OFFSETS.items()]
    return "\n".join(lines + ["  return wrong != 0;", "}", ""])


def run(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    return [] if done.returncode == 0 else [f"{' '.join(map(str, command))}:"] + (done.stdout + done.stderr).splitlines()[:20]


def check_values(folder):
    problems, source = [], folder / "values.c"
    source.write_text(program())
    for compiler, options in ((CC, ["-std=c99"]), (CC, ["-std=c11"]), (CXX, ["-x", "c++", "-std=c++11"]),
                              (CXX, ["-x", "c++", "-std=c++20"])):
        found = run([*compiler, *options, *STRICT, "-o", folder / "values", source])
        problems += found or run([folder / "values"])
    # A program that brings its own, and one that renamed them on the command line, as its makefile may do.
    own = folder / "own.c"
    own.write_text("#include <mpi.h>\nint MPI_Address(void *at, MPI_Aint *to);\n"
                   "int MPI_Address(void *at, MPI_Aint *to) { return MPI_Get_address(at, to); }\n")
    renamed = folder / "renamed.c"
    renamed.write_text("#include <mpi.h>\nint use(void *at, MPI_Aint *to);\n"
                       "int use(void *at, MPI_Aint *to) { return MPI_Address(at, to); }\n")
    problems += run([*CC, *STRICT, "-DOMPI_LITE_NO_REMOVED", "-c", "-o", folder / "own.o", own])
    return problems + run([*CC, *STRICT, "-DMPI_Address=MPI_Get_address", "-c", "-o", folder / "renamed.o", renamed])


def check_prototypes():
    text = (INCLUDE / "mpi.h").read_text()
    public = re.findall(r"^(\w+ )(MPI_\w+\(.*\);)$", text, re.M)
    profiling = re.findall(r"^(\w+ )P(MPI_\w+\(.*\);)$", text, re.M)
    problems = [f"mpi.h declares {len(public)} functions, the standard {FUNCTIONS}"] if len(public) != FUNCTIONS else []
    return problems + [f"only under one name: {''.join(one)}" for one in sorted(set(public) ^ set(profiling))]


def main():
    with tempfile.TemporaryDirectory() as folder:
        problems = check_values(pathlib.Path(folder)) + check_prototypes()
    print("\n".join(problems) if problems else "header: ok")
    sys.exit(1 if problems else 0)


main()
