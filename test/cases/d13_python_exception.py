# SPDX-License-Identifier: BSD-3-Clause
"""D13: one of three ranks of a Python program raises an exception while the others are in a barrier: its traceback is seen and the job ends
with an error. Where the program finalizes at its exit, as mpi4py does, the job does not end well either, and the report of a hang says
which rank has gone and which ones wait.
The module that stands for mpi4py here calls the library through ctypes; a10_mpi4py.py does the same with mpi4py."""
# run: timeout=120
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import TESTDIR, Mark, command, expect, mpirun, run

folder = run([*command("MPICC"), "-showme:libdirs"]).out.strip()
program = TESTDIR / "raises.py"
program.write_text(f"""
import atexit, ctypes, sys
mpi = ctypes.CDLL({folder!r} + "/libmpi_abi.so")
mpi.MPI_Init(None, None)
world, rank = ctypes.c_void_p(0x101), ctypes.c_int()
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
if sys.argv[1] == "finalizes": atexit.register(mpi.MPI_Finalize)
if rank.value == 1: raise RuntimeError("out of cheese")
mpi.MPI_Barrier(world)
mpi.MPI_Finalize() if sys.argv[1] == "leaves" else None
""")
mark = Mark()
ran = mpirun("-n", 3, sys.executable, program, "leaves", env=mark.env, timeout=40)
expect(ran.code != 0 and ran.seconds < 20, ran, "the job goes on without the rank that is gone")
expect("Traceback" in ran.err and "RuntimeError: out of cheese" in ran.err, ran, "the traceback is seen")
expect("rank 1 " in ran.err and "MPI_Finalize" in ran.err, ran, "the message says which rank left, and how")
expect(mark.gone_within(5), mark.alive(), "something stays")

ran = mpirun("--report-hang", "1s", "--timeout", 6, "-n", 3, sys.executable, program, "finalizes", env=mark.env, timeout=40)
expect(ran.code != 0, ran, "the job does not end well")
expect("Traceback" in ran.err and "RuntimeError: out of cheese" in ran.err, ran, "the traceback is seen")
report = ran.err.split("nothing has moved", 1)[-1].split("time limit")[0]
expect("rank 1 gone" in report and "ranks 0, 2 in MPI_Barrier" in report, ran, "the report of the hang names the rank that is gone")
expect("rank 1 (" in ran.err and "exited with code 1" in ran.err, ran, "the message says how it ended")
expect(mark.gone_within(5), mark.alive(), "something stays")
