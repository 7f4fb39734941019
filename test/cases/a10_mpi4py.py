#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# run: timeout=900
"""mpi4py built from source with our mpicc (A10); pickles through matched probes in threads (P09); a Python exception ends the job
and says why (D13); a barrier and small messages with more ranks than cores (S05).

MPI4PY_VENV names an environment that has mpi4py for this MPI already; else it is built, which takes a minute or two.
"""

import os
import pathlib
import subprocess
import sys
import venv

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from launching import TESTDIR, command, run  # noqa: E402

PICKLES = """
import sys, threading
from mpi4py import MPI
comm, rank, peer = MPI.COMM_WORLD, MPI.COMM_WORLD.rank, 1 - MPI.COMM_WORLD.rank
assert MPI.Query_thread() == MPI.THREAD_MULTIPLE
sizes = [1, 100, 4096, 65537, 1 << 20, 50_000_000]
failed = []
def body(thread):
    try:
        own = comms[thread]
        for size in sizes if thread == 0 else sizes[:-1]:
            data = {"thread": thread, "bytes": bytes([thread + 1]) * size, "rank": rank}
            request = own.isend(data, dest=peer, tag=thread)
            got = own.recv(source=MPI.ANY_SOURCE, tag=thread)
            request.wait()
            assert got["thread"] == thread and got["rank"] == peer and got["bytes"] == data["bytes"], size
    except BaseException as error:
        failed.append(repr(error))
# All threads on one communicator, told apart by tag: the probe and the receive of a pickle must belong together.
comms = [comm] * 4
threads = [threading.Thread(target=body, args=(thread,)) for thread in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
assert not failed, failed
comm.Barrier()
if rank == 0: print("pickles ok")
"""

RAISES = """
from mpi4py import MPI
if MPI.COMM_WORLD.rank == 1:
    raise RuntimeError("out of cheese")
MPI.COMM_WORLD.Barrier()
"""

CROWDED = """
from mpi4py import MPI
import time
comm = MPI.COMM_WORLD
start = time.monotonic()
for i in range(2000):
    comm.Barrier()
    assert comm.allreduce(1) == comm.size
if comm.rank == 0: print("seconds", time.monotonic() - start)
"""


def python():
    """The interpreter of an environment that has mpi4py."""
    if "MPI4PY_VENV" in os.environ:
        return pathlib.Path(os.environ["MPI4PY_VENV"]) / "bin/python"
    folder = TESTDIR / "venv"
    venv.create(folder, with_pip=True)
    found = folder / "bin/python"
    env = {**os.environ, "MPI4PY_BUILD_MPICC": os.environ["MPICC"], "CFLAGS": "-O0 -g0 -w"}
    built = subprocess.run([found, "-m", "pip", "-q", "--retries", "1", "--timeout", "20", "install", "--no-deps", "--no-binary", ":all:",
                            "mpi4py==4.1.2"], env=env, capture_output=True, text=True)
    if built.returncode != 0:
        if "No matching distribution" in built.stderr or "ConnectTimeout" in built.stderr or "NewConnectionError" in built.stderr:
            print("skipped: mpi4py cannot be fetched")
            sys.exit(77)
        sys.exit("mpi4py does not build:\n" + built.stderr[-3000:])
    return found


def main():
    interpreter = str(python())
    mpirun = command("MPIRUN")

    hello = run([*mpirun, "-n", "3", interpreter, "-m", "mpi4py.bench", "helloworld"], timeout=60)
    lines = sorted(hello.out.splitlines())
    assert hello.code == 0 and len(lines) == 3, hello
    assert all(f"process {rank} of 3" in line for rank, line in enumerate(lines)), hello

    pickles = run([*mpirun, "-n", "2", interpreter, "-c", PICKLES], timeout=240)
    assert pickles.code == 0 and "pickles ok" in pickles.out, pickles

    raised = run([*mpirun, "-n", "3", interpreter, "-m", "mpi4py", "-c", RAISES], timeout=60)
    assert raised.code != 0 and "out of cheese" in raised.err, raised
    raised = run([*mpirun, "--timeout", "20", "-n", "3", interpreter, "-c", RAISES], timeout=60)
    assert raised.code != 0 and "out of cheese" in raised.err, raised

    crowded = run([*mpirun, "-n", "5", interpreter, "-c", CROWDED], timeout=120)
    assert crowded.code == 0 and "seconds" in crowded.out, crowded


if __name__ == "__main__":
    main()
