#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs each Catch2 case of test/multirank in a job of its own, once for each count of its tag: [np=1,2,3]."""

import argparse
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import run_cases  # noqa: E402  (one way to run a command under a limit, and to find what it left)

TIMEOUT = 60


def cases(program):
    """(name, rank counts, seconds) of each case; the tag [timeout=N] sets another limit than 60 s."""
    listing = subprocess.run([program, "--list-with-tags"], check=True, capture_output=True, text=True).stdout
    for line in listing.splitlines():
        name, tags = line.split("\t")
        counts = re.search(r"\[np=([\d,]+)\]", tags)
        if counts is None:
            sys.exit(f'"{name}" has no tag [np=...]')
        limit = re.search(r"\[timeout=(\d+)\]", tags)
        yield name, [int(n) for n in counts[1].split(",")], int(limit[1]) if limit else TIMEOUT


def main():
    build, prefix = os.environ.get("TOP_BUILDDIR", "."), os.environ.get("PREFIX", "")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=f"{build}/test/multirank/multirank")
    parser.add_argument("--mpirun", default=f"{prefix}/bin/mpirun")
    parser.add_argument("-k", metavar="TEXT", default="", help="only cases whose name contains TEXT")
    parser.add_argument("--scale-timeouts", type=float, default=1, metavar="FACTOR", help="for a build that is slower, by a sanitizer")
    options = parser.parse_args()
    program, failed, count = pathlib.Path(options.program).resolve(), [], 0
    with run_cases.tempfile.TemporaryDirectory(prefix="multirank.") as folder:
        for name, counts, limit in cases(program):
            limit *= options.scale_timeouts
            for np in counts if options.k in name else []:
                pattern = re.sub(r"([\\,\[\]*])", r"\\\1", name)  # characters that mean something to Catch2
                run = run_cases.Run(program, np=np, timeout=limit)
                command = [options.mpirun, "-n", str(np), program, pattern]
                environment = {**os.environ, "OMPI_LITE_TEST_TIMEOUT": str(int(max(limit - 5, 1)))}
                start = run_cases.time.monotonic()
                status, output, trouble = run_cases.run_command(command, run, pathlib.Path(folder), environment)
                seconds, count = run_cases.time.monotonic() - start, count + 1
                ran = len(re.findall(r"^All tests passed", output, re.M)) == np
                if status == 0 and ran and not trouble:
                    outcome = run_cases.Outcome("passed", seconds)
                else:
                    outcome = run_cases.Outcome("failed", seconds, f"{trouble or f'exit status {status}'}\n{output}")
                    failed.append(f"{name} [np={np}]")
                print(f"{outcome.status:8} {seconds:7.2f} s  {name} [np={np}]", flush=True)
                if failed and outcome.status == "failed":
                    print("\n".join("    | " + line for line in outcome.text.rstrip().splitlines()[:40]), flush=True)
    print(f"\n{count} runs, {len(failed)} failed" + "".join(f"\n  failed: {name}" for name in failed))
    return 1 if failed else 0


sys.exit(main())
