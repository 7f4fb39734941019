#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs mpi4py's own test suite with an installed MPI, and says per rank count what passed.

mpi4py's source package is fetched by name with pip and built with the installation's mpicc in an environment of its own in the
work folder: the wheels on PyPI hold modules for the ABIs of MPICH and Open MPI only. Nothing of it is kept in this repository.
Exit status: 0 all right, 1 something failed, 77 skipped (the reason is printed), 2 did not run.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time
import venv

VERSION = "4.1.2"
SKIPPED_FILES = {
    "test_rma|test_win": "one-sided communication",
    "test_io|test_file": "files",
}
# Pattern: (from how many ranks on, reason)
SKIPPED_TESTS = {
    "test_msgspec.TestMessageRMA.*": (1, "one-sided communication"),
    "test_util_sync.TestSequential*": (1, "counts with a window of one-sided communication"),
    "test_errhandler.TestErrhandlerFile.*": (1, "files"),
    "test_ulfm.TestULFMWorld.testIAgree": (2, "the agreement is made of MPI_Iallreduce, which one rank calls before and the others "
                                              "after MPI_Barrier: collectives in different order (MPI 5.0, section 6.12)"),
}
# Tests that open a file among other things: they go on without it where the MPI has no files.
PATCHES = [("test_subclass.py", r"except NotImplementedError:\n    unittest\.disable\(BaseTestMyFile",
            "except (NotImplementedError, MPI.Exception):\n    unittest.disable(BaseTestMyFile"),
           ("test_objmodel.py", r"(/dev/null\"\)\]\n\s+except) NotImplementedError:", r"\1 (NotImplementedError, MPI.Exception):")]
# Each rank writes to files of its own: the lines of several ranks in one stream cannot be told apart. The record has a line
# "outcome test seconds CPU-seconds" for each test.
RANK = r'''
import faulthandler, gc, os, runpy, sys, time, unittest
sys.dont_write_bytecode = True
gc.set_threshold(100_000, 50, 50)  # the suite makes a million small objects, and no cycles to speak of
limit, folder, main = float(sys.argv[1]), sys.argv[2], sys.argv[3]
rank = next(os.environ[n] for n in ("PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK") if n in os.environ)
out = os.open(os.path.join(folder, "rank." + rank), os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644)
os.dup2(out, 1)
os.dup2(out, 2)
faulthandler.enable()
faulthandler.dump_traceback_later(limit, exit=True)

class Record(unittest.TextTestResult):
    file = os.open(os.path.join(folder, "record." + rank), os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644)

    def startTestRun(self):
        super().startTestRun()
        # pickle looks for each predefined datatype in all loaded modules, in their order: 0.2 ms if this one is the last of them.
        for name in [name for name in sys.modules if name != "mpi4py.MPI"]:
            sys.modules[name] = sys.modules.pop(name)

    def note(self, outcome, test, began=None):
        wall, cpu = (time.monotonic() - began[0], time.process_time() - began[1]) if began else (0, 0)
        os.write(self.file, f"{outcome}\t{test.id()}\t{wall:.4f}\t{cpu:.4f}\n".encode())

    def startTest(self, test):
        super().startTest(test)
        self.began, self.outcome = (time.monotonic(), time.process_time()), "passed"

    def stopTest(self, test):
        super().stopTest(test)
        self.note(self.outcome, test, self.began)
        self.began = None

    def becomes(self, outcome, test):
        if getattr(self, "began", None) is None:
            self.note(outcome, test)  # of a whole class or module
        elif self.outcome != "failed":
            self.outcome = outcome

    def addError(self, test, error):
        super().addError(test, error)
        self.becomes("failed", test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.becomes("failed", test)

    def addSubTest(self, test, subtest, error):
        if error is not None:
            super().addSubTest(test, subtest, error)
            self.becomes("failed", test)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.becomes("failed", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.becomes("skipped", test)

unittest.TextTestRunner.resultclass = Record
sys.argv = [main] + sys.argv[4:]
sys.path.insert(0, os.path.dirname(main))
runpy.run_path(main, run_name="__main__")
'''
OUTCOMES = ["skipped", "passed", "failed"]  # a test is what the worst of its ranks says


def stop(message, status=2):
    print(f"mpi4py: {message}", file=sys.stderr if status == 2 else sys.stdout)
    sys.exit(status)


class Suite:
    def __init__(self, options):
        self.options, self.work = options, options.workdir.resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        prefix = options.prefix.absolute()
        self.mpicc = os.environ.get("MPICC", f"{prefix}/bin/mpicc")
        self.mpirun = os.environ.get("MPIRUN", f"{prefix}/bin/mpirun").split()
        self.python = self.work / "venv/bin/python"
        self.source = self.work / f"mpi4py-{VERSION}"

    def pip(self, *words, env=None):
        return subprocess.run([self.python, "-m", "pip", "-q", "--disable-pip-version-check", *words], cwd=self.work,
                              env={**os.environ, **(env or {})}, capture_output=True, text=True)

    def prepare(self):
        """The environment with mpi4py and numpy; again if the MPI is another one."""
        ready = self.work / "venv/ready"
        if ready.exists() and ready.read_text() == self.mpicc and self.source.is_dir():
            return
        shutil.rmtree(self.work / "venv", ignore_errors=True)
        venv.create(self.work / "venv", with_pip=True)
        got = self.pip("download", "--no-deps", "--no-binary", "mpi4py", f"mpi4py=={VERSION}")
        packages = list(self.work.glob("mpi4py-*.tar.gz"))
        if not packages:
            stop(f"skipped: cannot get mpi4py {VERSION}: {got.stderr.strip().splitlines()[-1:]}", 77)
        with tarfile.open(packages[0]) as archive:
            archive.extractall(self.work)
        numpy = self.pip("install", "numpy")
        if numpy.returncode != 0:
            print("mpi4py: numpy cannot be had, its tests are skipped", file=sys.stderr)
        built = self.pip("install", "--no-deps", str(packages[0]),
                         env={"MPI4PY_BUILD_MPICC": self.mpicc, "CFLAGS": "-O2 -g0 -w"})
        if built.returncode != 0:
            stop(f"does not build:\n{built.stdout[-2000:]}{built.stderr[-4000:]}", 1)
        ready.write_text(self.mpicc)

    def patch(self):
        for name, pattern, replacement in PATCHES:
            path = self.source / "test" / name
            path.write_text(re.sub(pattern, replacement, path.read_text()))

    def run(self, ranks):
        folder = self.work / f"ranks.{ranks}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        excluded = ["(" + "|".join(SKIPPED_FILES) + r")(_|\.)"]
        only = ["-i", self.options.only] if self.options.only else []
        command = [*self.mpirun, *os.environ.get("MPIRUN_EXTRA", "").split(), "-n", str(ranks), str(self.python), "-c", RANK,
                   str(self.options.limit), str(folder), str(self.source / "test/main.py"), "-v", *only, "-e", *excluded]
        for test, (from_ranks, _) in SKIPPED_TESTS.items():
            command += ["-x", test] if ranks >= from_ranks else []
        # test_util_dtlib communicates nothing; the suite's own switch for its coverage runs keeps all of its tests and makes them try
        # 6 kinds of elements instead of 40. One rank tries all.
        environment = {**os.environ, "COVERAGE_RUN": "true"} if ranks > 1 and not self.options.every_type else None
        start = time.monotonic()
        ended = subprocess.run(command, cwd=self.source, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return Outcome(folder, ranks, ended, time.monotonic() - start)


class Outcome:
    """What the ranks of one run recorded."""

    def __init__(self, folder, ranks, ended, seconds):
        self.seconds, self.failed = seconds, []
        self.tests = {}                                 # test: its outcome
        self.wall = collections.defaultdict(float)      # file: seconds, of the slowest rank
        self.cpu = collections.defaultdict(float)       # file: CPU seconds of all ranks
        for rank in range(ranks):
            self.read(folder, rank)
        if ended.returncode != 0 and not self.failed:
            self.failed.append(f"exit status {ended.returncode}: {(ended.stdout + ended.stderr).strip()[-300:]}")

    def read(self, folder, rank):
        printed, record = folder / f"rank.{rank}", folder / f"record.{rank}"
        text = printed.read_text(errors="replace") if printed.exists() else ""
        wall = collections.defaultdict(float)
        for line in record.read_text().splitlines() if record.exists() else []:
            outcome, test, seconds, cpu = line.split("\t")
            self.tests[test] = max(outcome, self.tests.get(test, outcome), key=OUTCOMES.index)
            wall[test.split(".")[0]] += float(seconds)
            self.cpu[test.split(".")[0]] += float(cpu)
            if outcome == "failed":
                self.failed.append(f"{test} (rank {rank})")
        for file, seconds in wall.items():
            self.wall[file] = max(self.wall[file], seconds)
        if not re.search(r"^(OK|FAILED)\b", text, re.M):
            self.failed.append(f"rank {rank} did not come to the end: {text.strip().splitlines()[-1:]}")

    def row(self, ranks):
        count = collections.Counter(self.tests.values())
        return (f"| {ranks} | {len(self.wall)} | {count['passed']} | {count['failed']} | {count['skipped']} | "
                f"{self.seconds:.0f} | {sum(self.cpu.values()):.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path, help="the installation to test; MPICC and MPIRUN name other commands")
    parser.add_argument("workdir", type=pathlib.Path, help="scratch folder: environment, sources, what the ranks print")
    parser.add_argument("ranks", type=int, nargs="*", default=[1, 2, 3, 4, 5], help="rank counts (1 2 3 4 5)")
    parser.add_argument("--only", metavar="REGEX", default="", help="files whose name fits")
    parser.add_argument("--limit", type=float, default=300, metavar="SECONDS", help="for each rank count (300)")
    parser.add_argument("--every-type", action="store_true", help="local tests of datatypes in full at each rank count, not at 1 alone")
    parser.add_argument("--slowest", type=int, default=0, metavar="N", help="name the N files that took longest")
    suite = Suite(options := parser.parse_args())
    suite.prepare()
    suite.patch()
    print("| ranks | files | passed | failed | skipped | seconds | CPU seconds in tests |\n" + "| --- " * 7 + "|")
    outcomes = {}
    for ranks in options.ranks:
        outcomes[ranks] = suite.run(ranks)
        print(outcomes[ranks].row(ranks), flush=True)
    print(f"\n{sum(o.seconds for o in outcomes.values()):.0f} s in all. Files left out:")
    for files, reason in SKIPPED_FILES.items():
        print(f"- {files.replace('|', ', ')}: {reason}")
    print("Tests left out:")
    for test, (from_ranks, reason) in SKIPPED_TESTS.items():
        print(f"- {test}" + (f", from {from_ranks} ranks on" if from_ranks > 1 else "") + f": {reason}")
    for ranks, outcome in outcomes.items():
        for file in sorted(outcome.wall, key=outcome.wall.get, reverse=True)[:options.slowest]:
            print(f"{ranks} ranks, {file}: {outcome.wall[file]:.1f} s, {outcome.cpu[file]:.1f} s CPU")
        if outcome.failed:
            print(f"\n{ranks} ranks failed:", *outcome.failed, sep="\n- ")
    return 1 if any(o.failed for o in outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
