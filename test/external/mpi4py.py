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
    "test_spawn|test_dynproc|test_util_pool": "starts processes",
}
SKIPPED_TESTS = {
    "test_ulfm.TestULFMWorld.testIAgree": "the agreement is made of MPI_Iallreduce, which one rank calls before and the others after "
                                          "MPI_Barrier: collectives in different order (MPI 5.0, section 6.12)",
}
# Where a module opens a file while it is loaded, all its other tests would be lost too.
PATCHES = [("test_subclass.py", r"except NotImplementedError:\n    unittest\.disable\(BaseTestMyFile",
            "except (NotImplementedError, MPI.Exception):\n    unittest.disable(BaseTestMyFile")]
# Each rank writes to a file of its own: the lines of several ranks in one stream cannot be told apart.
RANK = r'''
import faulthandler, os, runpy, sys
sys.dont_write_bytecode = True
limit, folder, main = float(sys.argv[1]), sys.argv[2], sys.argv[3]
rank = next(os.environ[n] for n in ("PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK") if n in os.environ)
out = os.open(os.path.join(folder, "rank." + rank), os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o644)
os.dup2(out, 1)
os.dup2(out, 2)
faulthandler.enable()
faulthandler.dump_traceback_later(limit, exit=True)
sys.argv = [main] + sys.argv[4:]
sys.path.insert(0, os.path.dirname(main))
runpy.run_path(main, run_name="__main__")
'''
RESULT = re.compile(r"^(\w+) \(([\w.]+)\)(?:\n.*)? \.\.\. (?:.*\n)*?(ok|FAIL|ERROR|skipped|expected failure)\b", re.M)


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
        got = self.pip("download", "--no-deps", "--no-binary", ":all:", f"mpi4py=={VERSION}")
        packages = list(self.work.glob("mpi4py-*.tar.gz"))
        if not packages:
            stop(f"skipped: cannot get mpi4py {VERSION}: {got.stderr.strip().splitlines()[-1:]}", 77)
        with tarfile.open(packages[0]) as archive:
            archive.extractall(self.work)
        numpy = self.pip("install", "numpy")
        if numpy.returncode != 0:
            print("mpi4py: numpy cannot be had, its tests are skipped", file=sys.stderr)
        built = self.pip("install", "--no-deps", "--no-binary", ":all:", str(packages[0]),
                         env={"MPI4PY_BUILD_MPICC": self.mpicc, "CFLAGS": "-O0 -g0 -w"})
        if built.returncode != 0:
            stop(f"does not build:\n{built.stdout[-2000:]}{built.stderr[-4000:]}", 1)
        for name, pattern, replacement in PATCHES:
            path = self.source / "test" / name
            path.write_text(re.sub(pattern, replacement, path.read_text()))
        ready.write_text(self.mpicc)

    def run(self, ranks):
        """(counts, what failed, seconds)"""
        folder = self.work / f"ranks.{ranks}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        excluded = ["(" + "|".join(SKIPPED_FILES) + r")(_|\.)"]
        only = ["-i", self.options.only] if self.options.only else []
        command = [*self.mpirun, *os.environ.get("MPIRUN_EXTRA", "").split(), "-n", str(ranks), str(self.python), "-c", RANK,
                   str(self.options.limit), str(folder), str(self.source / "test/main.py"), "-v", *only, "-e", *excluded]
        for test in SKIPPED_TESTS:
            command += ["-x", test]
        start = time.monotonic()
        ended = subprocess.run(command, cwd=self.source, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        seconds = time.monotonic() - start
        counts, failed = collections.Counter(), []
        for path in sorted(folder.glob("rank.*")):
            text = path.read_text(errors="replace")
            for name, where, outcome in RESULT.findall(text):
                counts[outcome] += 1
                if outcome in ("FAIL", "ERROR"):
                    failed.append(f"{path.name}: {where}" if name in where else f"{path.name}: {where}.{name}")
            if not re.search(r"^(OK|FAILED)\b", text, re.M):
                failed.append(f"{path.name} did not come to the end: {text.strip().splitlines()[-1:]}")
        if ended.returncode != 0 and not failed:
            failed.append(f"exit status {ended.returncode}: {(ended.stdout + ended.stderr).strip()[-300:]}")
        return counts, failed, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path, help="the installation to test; MPICC and MPIRUN name other commands")
    parser.add_argument("workdir", type=pathlib.Path, help="scratch folder: environment, sources, what the ranks print")
    parser.add_argument("ranks", type=int, nargs="*", default=[1, 2, 3, 4, 5], help="rank counts (1 2 3 4 5)")
    parser.add_argument("--only", metavar="REGEX", default="", help="files whose name fits")
    parser.add_argument("--limit", type=float, default=300, metavar="SECONDS", help="for each rank count (300)")
    suite = Suite(options := parser.parse_args())
    suite.prepare()
    print("| ranks | passed | failed | skipped | seconds |\n| --- | --- | --- | --- | --- |")
    all_failed, total = {}, 0
    for ranks in options.ranks:
        counts, failed, seconds = suite.run(ranks)
        bad = counts["FAIL"] + counts["ERROR"]
        print(f"| {ranks} | {counts['ok'] + counts['expected failure']} | {bad} | {counts['skipped']} | {seconds:.0f} |", flush=True)
        total += seconds
        if failed:
            all_failed[ranks] = failed
    print(f"\n{total:.0f} s in all; the tests of all ranks are added up. Files left out:")
    for files, reason in SKIPPED_FILES.items():
        print(f"- {files.replace('|', ', ')}: {reason}")
    print("Tests left out:")
    for test, reason in SKIPPED_TESTS.items():
        print(f"- {test}: {reason}")
    for ranks, failed in all_failed.items():
        print(f"\n{ranks} ranks:")
        for name, times in collections.Counter(failed).most_common():
            print(f"- {name}" + (f" ({times} times)" if times > 1 else ""))
    return 1 if all_failed else 0


if __name__ == "__main__":
    sys.exit(main())
