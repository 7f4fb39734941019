#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What more ranks cost this MPI and others: communicators, barriers, memory.

  growth.py --prefix PREFIX                                    2 to 64 ranks, and the memory of a rank among 256
  growth.py --prefix PREFIX --peer mpich5=VENV --ranks 2,8,32  beside others
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import compare  # noqa: E402

HEAD = ["MPI", "ranks", "rank MB", "talked to all MB", "dup us", "new KB", "used KB", "barrier us"]


def build(mpi, folder):
    mpi.program = folder / f"growth.{mpi.name}"
    source = pathlib.Path(__file__).resolve().parent / "growth.c"
    subprocess.run([mpi.mpicc, "-std=gnu11", "-O2", "-w", "-o", str(mpi.program), str(source)], check=True)


def row_of(mpi, ranks, arguments, timeout):
    status, output, _ = compare.execute(mpi.command(ranks, "none", arguments), timeout)
    for line in output.splitlines():
        if line.startswith("# growth"):
            return [mpi.name, *line.split("\t")[1:]]
    return [mpi.name, str(ranks), f"did not end in {timeout:.0f} s" if status is None else f"exit status {status}"]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", required=True, help="our installation")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PREFIX", help="one more MPI, by its prefix")
    parser.add_argument("--ranks", default="2,4,8,16,32,64", type=lambda t: [int(n) for n in t.split(",")])
    parser.add_argument("--many", type=int, default=256, help="ranks whose memory alone is looked at; 0: none")
    parser.add_argument("--timeout", type=float, default=180, help="seconds for one run")
    options = parser.parse_args()
    options.no_debian = True
    return options


def main():
    options = parse()
    rows = []
    with tempfile.TemporaryDirectory(prefix="growth.") as folder:
        for mpi in compare.find_mpis(options):
            build(mpi, pathlib.Path(folder))
            rows += [row_of(mpi, ranks, [], options.timeout) for ranks in options.ranks]
            if options.many:
                rows.append(row_of(mpi, options.many, ["--memory"], options.timeout))
    compare.print_rows(HEAD, [row + [""] * (len(HEAD) - len(row)) for row in rows])
    print(f"\n{os.cpu_count()} cores; memory: a rank's share, MB after start, KB of one more communicator")
    return 0


if __name__ == "__main__":
    sys.exit(main())
