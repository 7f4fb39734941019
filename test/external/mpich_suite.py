#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures an MPI with the conformance suite of MPICH 4.0.2 (its test/mpi), fetched as Debian's source package.

Strict mode: lines marked strict=false are skipped. A line passes as the suite says: exit status 0 and " No Errors" as the only
output, or a failing exit status where the line asks for one. Lines whose program met a function that is not implemented yet are
counted apart, and so are those that want a send to be cancelled, which MPI 4 lets a library refuse.
"""

import argparse
import collections
import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import run_cases  # noqa: E402  (one way to run a command under a limit, and to find what it left)

DEFAULT_DIRS = ["init", "errhan", "group", "info", "attr", "pt2pt", "coll"]
SEND_CANCEL = {"pt2pt/" + name for name in ("scancel", "scancel2", "pscancel", "cancelrecv", "scancel_unmatch", "issendselfcancel")}
WANT_FAILURE = {"TestStatus", "TestErrFatal", "TestStatusNoErrors"}
COLUMNS = {"pass": "passed", "fail": "failed", "timeout": "timed out", "notyet": "not yet", "build": "does not build",
           "cancel": "send cancel", "skip": "skipped"}

# (file, pattern, replacement): where the suite is less neutral than it means to be. Why is in docs/conformance.md.
PATCHES = [
    ("dtpools/src/dtpools_custom.c", r"MPI_Type_(hvector|hindexed)\(", r"MPI_Type_create_\1("),
    ("coll/nonblocking2.c", r"int \*(sendtypes|recvtypes)", r"MPI_Datatype *\1"),
    ("coll/nonblocking3.c", r"int \*(sendtypes|recvtypes)", r"MPI_Datatype *\1"),
    ("datatype/pack_external.c", r"switch \(dt\.mpi_type\) \{", "{"),
    ("datatype/pack_external.c", r"(?m)^( *)case (MPI_[A-Z_]*):", r"\1if (dt.mpi_type == \2)"),
    ("datatype/pack_external.c", r"(?m)^( *)default:", r"\1"),
    ("part/nonblocking_pready.c", r"NULL, 0, MPI_DATATYPE_NULL", "NULL, 0, MPI_BYTE"),
    ("include/mtest_mpix.h", r"(#define MPI_Delete_error_(\w+)) MPIX_\w+", r"\1 MPI_Remove_error_\2"),
    ("topo/cartsuball.c", r'errs\+\+;\s+printf\("cart sub to size 0 did not give null\\n"\);', "MPI_Comm_free(&newcomm);"),
]


def stop(message):
    print("mpich_suite: " + message, file=sys.stderr)
    sys.exit(2)


@dataclasses.dataclass
class Line:
    """One line of a testlist."""

    folder: str
    text: str
    program: str = ""
    np: int = 1
    args: list = dataclasses.field(default_factory=list)
    env: dict = dataclasses.field(default_factory=dict)
    keys: dict = dataclasses.field(default_factory=dict)

    def __post_init__(self):
        self.program, *words = self.text.split()
        if words and words[0].isdigit():
            self.np = int(words.pop(0))
        for word in words:
            key, _, value = word.partition("=")
            if key == "arg":
                self.args.append(value)
            elif key == "env":
                name, _, content = value.partition("=")
                self.env[name] = content
            else:
                self.keys[key] = value

    def name(self):
        return f"{self.folder}/{self.text}"


class Suite:
    """The suite's sources in one work folder, built for one installation."""

    def __init__(self, options):
        self.options, self.work = options, options.workdir.resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.prefix = options.prefix.absolute()  # not resolved: a link helps where the suite cannot take the blanks of a prefix
        self.mpicc = os.environ.get("MPICC", f"{self.prefix}/bin/mpicc")
        given = os.environ.get("MPIRUN")
        self.mpirun = given.split() if given else [f"{self.prefix}/bin/mpiexec"]
        self.env = {**os.environ, "USER": os.environ.get("USER", "root"), "LC_ALL": "C"}
        for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "CC", "CXX", "F77", "FC", "LDFLAGS", "LIBS"):
            self.env.pop(name, None)
        self.jobs = str(os.cpu_count() or 1)
        header = subprocess.run([self.mpicc, "-E", "-x", "c", "-"], input="#include <mpi.h>\n", capture_output=True, text=True).stdout
        key = hashlib.sha1((self.mpicc + header).encode()).hexdigest()[:10]  # another header is another build
        self.build = self.work / f"mpich.build.{key}"

    def command(self, log, *command, check=True, cwd=None):
        with open(self.work / log, "w") as out:
            done = subprocess.run(list(map(str, command)), stdout=out, stderr=subprocess.STDOUT, env=self.env, cwd=cwd)
        if check and done.returncode != 0:
            print("\n".join((self.work / log).read_text(errors="replace").splitlines()[-8:]), file=sys.stderr)
            stop(f"{command[0]} failed, see {self.work / log}")

    def fetch(self):
        script = '. "$1"; MPICC="$4" start_runner "" "$2" "$3"; fetch_source mpich; echo "$source"'
        done = subprocess.run(["bash", "-c", script, "mpich_suite", HERE / "common.sh", self.prefix, self.work, self.mpicc],
                              stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(done.returncode)
        return pathlib.Path(done.stdout.strip()) / "test/mpi"

    def prepare(self):
        """Fetches, patches, configures and builds the libraries that all tests use; once per installation."""
        if (self.build / ".ready").exists():
            return
        source = self.fetch()
        shutil.rmtree(self.build, ignore_errors=True)
        shutil.copytree(source, self.build, symlinks=True)
        for file, pattern, replacement in PATCHES:
            path = self.build / file
            path.write_text(re.sub(pattern, replacement, path.read_text()))
        print("configuring", file=sys.stderr)
        self.command("mpich.configure.log", "./configure", f"--with-mpi={self.prefix}", f"MPICC={self.mpicc}", f"CC={self.mpicc}",
                     f"MPIEXEC={self.mpirun[0]}", "--enable-strictmpi", "--enable-threads=multiple", "--disable-maintainer-mode",
                     "--disable-ft-tests", "--disable-collalgo-tests", "--disable-cxx", "--disable-fortran", "--without-cuda",
                     "--without-hip", "--without-ze", "CFLAGS=-O1 -w", "CPPFLAGS=-DTEST_NEIGHB_COLL=1 -DTEST_HINDEXED_BLOCK=1",
                     cwd=self.build)
        for library in ("dtpools", "util"):
            self.command(f"mpich.{library}.log", "make", "-C", self.build / library, "-j" + self.jobs)
        (self.build / ".ready").touch()

    def lines_of(self, folder):
        """The lines of a folder's testlist; a line that names a folder stands for that folder's list."""
        path = self.build / folder / "testlist"
        if not path.is_file():
            stop(f"the suite has no list {folder}/testlist")
        for text in path.read_text().splitlines():
            text = text.split("#")[0].strip()
            if not text or text.startswith("!"):
                continue
            if (self.build / folder / text.split()[0]).is_dir():
                yield from self.lines_of(f"{folder}/{text.split()[0]}")
            else:
                yield Line(folder, text)

    def compile(self, lines):
        """Builds all programs of a folder together; what fails shows when its line runs."""
        wanted = collections.defaultdict(set)
        for line in lines:
            if not (self.build / line.folder / line.program).exists():
                wanted[line.folder].add(line.program)
        for folder, programs in wanted.items():
            print(f"building {len(programs)} programs of {folder}", file=sys.stderr)
            self.command("mpich.make.log", "make", "-C", self.build / folder, "-j" + self.jobs, "-k", *sorted(programs), check=False)

    def why_no_program(self, line):
        done = subprocess.run(["make", "-C", self.build / line.folder, line.program], env=self.env, capture_output=True, text=True)
        said = re.findall(r"undefined reference to .*|error: .*|No rule to make.*", done.stdout + done.stderr)
        return said[0] if said else "does not build"

    def run(self, line):
        """(status, seconds, reason) of one line."""
        if line.keys.get("strict", "").lower() == "false" and not (self.options.persistent and line.program.startswith("p_")):
            return "skip", 0, "strict=false"
        memory = float(line.keys.get("mem", 0))
        if memory > run_cases.available_gb():
            return "skip", 0, f"needs {memory:.0f} GB of memory"
        program = self.build / line.folder / line.program
        if not program.exists():
            return "build", 0, self.why_no_program(line)
        limit = int(line.keys.get("timeLimit", self.options.cap))
        limit = min(limit, self.options.cap) if self.options.cap else limit
        environment = {**self.env, **line.env, "MPIEXEC_TIMEOUT": str(limit)}
        if self.options.threads == "multiple":
            environment["MPITEST_THREADLEVEL_DEFAULT"] = "multiple"
        command = [*self.mpirun, *os.environ.get("MPIRUN_EXTRA", "").split(), "-n", str(line.np), "./" + line.program, *line.args]
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            start = time.monotonic()
            run = run_cases.Run(program, timeout=limit + 10)
            status, output, trouble = run_cases.run_command(command, run, program.parent, environment, pathlib.Path(folder))
            seconds = time.monotonic() - start
        return self.judge(line, status, output, trouble, seconds, limit)

    def judge(self, line, status, output, trouble, seconds, limit):
        said = [text.strip() for text in output.splitlines() if text.strip()]
        clean = bool(said) and all(text in ("No Errors", "No errors", "Test Passed") for text in said) and len(said) == 1
        result_test = line.keys.get("resultTest", "")
        words = next((text for text in said if text not in ("No Errors", "No errors")), "no message")
        missing = re.findall(r"(MPI_\w+)\b[^\n]* (?:is not implemented yet)|MPI_ERR_UNSUPPORTED_OPERATION", output)
        if result_test in WANT_FAILURE:
            good = status != 0 and seconds < limit + 5 and (result_test != "TestStatusNoErrors" or "No Errors" in said)
            outcome = ("pass", "") if good and not trouble else ("fail", trouble or words)
        elif clean and status == 0 and not trouble:
            outcome = ("pass", "")
        elif missing:
            outcome = ("notyet", f"{next(filter(None, missing), 'a function')} is not implemented yet")
        elif seconds >= limit - 0.5:
            outcome = ("timeout", f"after {seconds:.0f} s: {words}")
        else:
            outcome = ("fail", "; ".join(filter(None, (trouble, words, f"exit status {status}" if status else ""))))
        if outcome[0] not in ("pass", "notyet") and f"{line.folder}/{line.program}" in SEND_CANCEL:
            outcome = ("cancel", outcome[1])
        return outcome[0], seconds, outcome[1].replace(str(self.build) + "/", "").replace(str(self.prefix), "PREFIX")[:240]


def table(results):
    """The Markdown table with a row per folder and a total; returns the text and (passed, counted)."""
    rows = collections.defaultdict(collections.Counter)
    for line, (status, seconds, _) in results:
        for row in (line.folder.split("/")[0], "total"):
            rows[row].update({"lines": 1, status: 1, "seconds": seconds})
    rows["total"] = rows.pop("total")
    text = [f"| directory | lines | {' | '.join(COLUMNS.values())} | seconds |", "|---" * (len(COLUMNS) + 3) + "|"]
    for name, n in rows.items():
        text.append(f"| {name} | {n['lines']} | {' | '.join(str(n[c]) for c in COLUMNS)} | {n['seconds']:.0f} |")
    total = rows["total"]
    counted = total["pass"] + total["fail"] + total["timeout"] + total["build"]
    percent = 100 * total["pass"] / counted if counted else 0
    text.append(f"\n{total['pass']} of {counted} lines passed ({percent:.1f} %), not counting those not yet built, send cancellation and "
                "skipped ones")
    return "\n".join(text), total["pass"] == counted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path, help="the installation to measure; MPICC and MPIRUN name other commands")
    parser.add_argument("workdir", type=pathlib.Path, help="scratch folder: sources, builds, results")
    parser.add_argument("dirs", nargs="*", help=f"folders of the suite; default: {' '.join(DEFAULT_DIRS)}")
    parser.add_argument("--list", type=pathlib.Path, metavar="FILE", help='lines of the form "folder/program np key=value..."')
    parser.add_argument("-k", metavar="TEXT", default="", help="only lines that contain TEXT")
    parser.add_argument("--cap", type=int, default=60, metavar="SECONDS", help="longest time for a line (60); 0: the suite's limits")
    parser.add_argument("--threads", choices=("single", "multiple"), default="single")
    parser.add_argument("--persistent", action="store_true", help="run the persistent collectives, which the suite calls not strict")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE", help="write table and open lines there")
    suite = Suite(options := parser.parse_args())
    suite.prepare()
    if options.list:
        rows = [row.split("#")[0].strip() for row in options.list.read_text().splitlines()]
        lines = []
        for row in filter(None, rows):
            folder, program = row.split()[0].rsplit("/", 1)
            lines.append(Line(folder, program + row[len(row.split()[0]):]))
    else:
        lines = [line for folder in options.dirs or DEFAULT_DIRS for line in suite.lines_of(folder.rstrip("/"))]
    lines = [line for line in lines if options.k in line.name()]
    suite.compile(lines)
    results = []
    for line in lines:
        result = suite.run(line)
        results.append((line, result))
        print(f"{result[0]:8} {result[1]:6.1f} s  {line.name()[:90]}{'   [' + result[2][:100] + ']' if result[2] else ''}", file=sys.stderr)
    text, all_passed = table(results)
    open_lines = [f"- `{line.name()}`: {COLUMNS[status]}{': ' + reason if reason else ''}"
                  for line, (status, _, reason) in results if status not in ("pass", "skip")]
    report = text + ("\n\nLines that did not pass:\n\n" + "\n".join(open_lines) if open_lines else "") + "\n"
    print(report)
    if options.markdown:
        options.markdown.write_text(report)
    return 0 if all_passed else 1


if __name__ == "__main__":
    sys.exit(main())
