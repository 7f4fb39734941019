# SPDX-License-Identifier: BSD-3-Clause
"""A03: the library works when a program loads it late and with RTLD_LOCAL, as Python modules do."""
# run: timeout=60
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import TESTDIR, command, expect, mpirun, run

shown = run([*command("MPICC"), "-showme:libdirs"])
folder = shown.out.strip()
program = TESTDIR / "load.py"
program.write_text(f"""
import ctypes, os
mpi = ctypes.CDLL({folder!r} + "/libmpi_abi.so", mode=os.RTLD_LOCAL | os.RTLD_NOW)
assert mpi.MPI_Init(None, None) == 0
version, subversion = ctypes.c_int(), ctypes.c_int()
assert mpi.MPI_Get_version(ctypes.byref(version), ctypes.byref(subversion)) == 0
world = ctypes.c_void_p(0x101)  # MPI_COMM_WORLD of the standard ABI
rank, size = ctypes.c_int(-1), ctypes.c_int(-1)
assert mpi.MPI_Comm_rank(world, ctypes.byref(rank)) == 0 and mpi.MPI_Comm_size(world, ctypes.byref(size)) == 0
assert mpi.MPI_Barrier(world) == 0
assert mpi.MPI_Finalize() == 0
print(version.value, rank.value, size.value)
""")
alone = run([sys.executable, program])
expect(alone.code == 0 and alone.out.split()[1:] == ["0", "1"] and int(alone.out.split()[0]) >= 4, alone, "by itself")
two = mpirun("-n", 2, sys.executable, program)
expect(two.code == 0 and sorted(line.split()[1:] for line in two.out.splitlines()) == [["0", "2"], ["1", "2"]], two, "two ranks")
