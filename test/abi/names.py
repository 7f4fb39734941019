# SPDX-License-Identifier: BSD-3-Clause
"""The three names of each function at work: a program that replaces MPI_Send, a tool that is preloaded, the private twins;
programs need no symbol version of the library; a library that is loaded RTLD_LOCAL works."""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PREFIX = pathlib.Path(os.environ.get("PREFIX", "/usr/local"))
MPICC, MPIRUN, LIBRARY = PREFIX / "bin/mpicc", PREFIX / "bin/mpirun", PREFIX / "lib/libmpi_abi.so.1"
LOADER = """
import ctypes, sys
mpi = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_LOCAL)
version, subversion, size = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
assert mpi.MPI_Init(None, None) == 0
assert mpi.MPI_Get_version(ctypes.byref(version), ctypes.byref(subversion)) == 0
assert mpi.MPI_Comm_size(ctypes.c_void_p(0x101), ctypes.byref(size)) == 0
assert mpi.MPI_Finalize() == 0
assert (version.value, subversion.value, size.value) == (5, 0, 1), (version, subversion, size)
"""
problems = []


def run(*command, **changes):
    """What a command prints; a failure is noted."""
    environment = {**os.environ, **changes}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment, timeout=60)
    if done.returncode != 0:
        problems.append(f"{' '.join(map(str, command))} exits with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


def expect(what, value, right):
    if value != right:
        problems.append(f"{what}: {value!r}, not {right!r}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        strict = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror")
        run(MPICC, *strict, "-o", folder / "profiled_send", HERE / "profiled_send.c")
        run(MPICC, "-o", folder / "twins", HERE / "twins.c", "-ldl")
        run(MPICC, "-shared", "-fPIC", "-o", folder / "tool.so", HERE / "preloaded.c")
        run(folder / "profiled_send")
        run(MPIRUN, "-n", "3", folder / "profiled_send")
        run(MPIRUN, "-n", "2", folder / "profiled_send", OMPI_LITE_CHECK_ARGUMENTS="no")
        expect("three names", run(folder / "twins"), "1 1 1")
        expect("three names behind a tool", run(folder / "twins", LD_PRELOAD=str(folder / "tool.so")), "2 1 1")
        versions = run("readelf", "-V", folder / "twins")
        expect("a version of ours is needed", "OMPI_LITE_PRIVATE" in versions, False)
        run(sys.executable, "-c", LOADER, LIBRARY)
    print("\n".join(problems) if problems else "names: ok")
    sys.exit(1 if problems else 0)


main()
