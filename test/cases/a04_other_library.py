# SPDX-License-Identifier: BSD-3-Clause
"""A04: a program that is linked with another MPI is refused by name, instead of becoming N jobs of one rank."""
# run: timeout=60
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import TESTDIR, expect, mpirun, run

# A library by the other's name is enough: the program is not to be started at all.
(TESTDIR / "other.c").write_text("int MPI_Init(int *c, char ***v) { return 0; }\n")
(TESTDIR / "program.c").write_text('int MPI_Init(int *, char ***);\nint puts(const char *);\n'
                                   'int main(int c, char **v) { MPI_Init(&c, &v); puts("ran"); return 0; }\n')
for soname, owner in (("libmpi.so.40", "Open MPI"), ("libmpich.so.12", "MPICH"), ("libmpi.so.12", "MPICH")):
    run(["cc", "-shared", "-fPIC", f"-Wl,-soname,{soname}", "-o", soname, "other.c"])
    built = run(["cc", "-o", "program", "program.c", f"./{soname}", f"-Wl,-rpath,{TESTDIR}"])
    expect(built.code == 0, built, "the program cannot be built")
    for before in ([], ["-n", 1, "true", ":"]):
        ran = mpirun(*before, "-n", 2, "./program")
        expect(ran.code == 126 and ran.out == "", ran, "the program must not run")
        expect(ran.err.count("\n") == 1 and "./program" in ran.err and soname in ran.err and owner in ran.err, ran, "program, library, owner")
        expect("mpicc" in ran.err and "--allow-other-mpi" in ran.err, ran, "what to do")
    ran = mpirun("-n", 1, "./program")
    expect(ran.code == 0 and ran.out == "ran\n", ran, "one rank alone is right")
    ran = mpirun("--allow-other-mpi", "-n", 2, "./program")
    expect(ran.code == 0 and ran.out == "ran\nran\n", ran, "who asks for it gets it")
