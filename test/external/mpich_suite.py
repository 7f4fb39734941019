#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures an MPI with the conformance suite of MPICH 4.0.2 (its test/mpi), fetched as Debian's source package.

    mpich_suite.py PREFIX WORKDIR --whole          all that docs/conformance.md tells, in about an hour on two cores
    mpich_suite.py PREFIX WORKDIR pt2pt -k probe   the lines of one folder that name a probe

Strict mode: lines marked strict=false are skipped. A line passes as the suite says: exit status 0 and " No Errors" as the only
output, or a failing exit status where the line asks for one. Lines whose program met a function that is not implemented yet are
counted apart, and so are those that want a send to be cancelled, which MPI 4 lets a library refuse, and lines that fail and ask for
what the standard does not (mpich_not_right.txt says why). The exit status is 0 when every other line passed.

Every run leaves WORKDIR/NAME.tsv (--name; level, folder, line, status, seconds, reason). --beside shows such files of other runs,
of other libraries say, in columns of their own, and --report prints the tables of a file again.
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

DEFAULT_DIRS = ["init", "errhan", "group", "info", "attr", "pt2pt", "comm", "datatype", "topo", "coll", "part", "threads", "mpi_t",
                "errors", "spawn"]
LEFT_OUT = {"threads/rma", "errors/rma", "errors/io"}  # run only when they are named
DTPOOLS_DIRS = ["attr", "pt2pt", "coll"]  # those of DEFAULT_DIRS that have lists of generated datatypes
SUITE_LIMIT = 180  # seconds, where a line names none
SEND_CANCEL = {"pt2pt/" + name for name in ("scancel", "scancel2", "pscancel", "cancelrecv", "scancel_unmatch", "issendselfcancel")}
WANT_FAILURE = {"TestStatus", "TestErrFatal", "TestStatusNoErrors"}
COLUMNS = {"pass": "passed", "fail": "failed", "timeout": "timed out", "notyet": "not yet", "build": "does not build",
           "cancel": "send cancel", "notright": "not right", "skip": "skipped"}

# (file, pattern, replacement): where the suite is less neutral than it means to be. Why is in docs/conformance.md.
PATCHES = [
    ("dtpools/src/dtpools_custom.c", r"MPI_Type_(hvector|hindexed)\(", r"MPI_Type_create_\1("),
    ("coll/nonblocking2.c", r"int \*(sendtypes|recvtypes)", r"MPI_Datatype *\1"),
    ("coll/nonblocking3.c", r"int \*(sendtypes|recvtypes)", r"MPI_Datatype *\1"),
    ("datatype/pack_external.c", r"switch \(dt\.mpi_type\) \{", "{"),
    ("datatype/pack_external.c", r"(?m)^( *)case (MPI_[A-Z_]*):", r"\1if (dt.mpi_type == \2)"),
    ("datatype/pack_external.c", r"(?m)^( *)default:", r"\1"),
    ("datatype/indexed_misc.c", r"( +)(err = MPI_Type_create_struct\(2, len, adisp, types, &struct_type\);)",
     r"\1types[0] = type;\n\1\2"),
    ("part/nonblocking_pready.c", r"NULL, 0, MPI_DATATYPE_NULL", "NULL, 0, MPI_BYTE"),
    ("include/mtest_mpix.h", r"(#define MPI_Delete_error_(\w+)) MPIX_\w+", r"\1 MPI_Remove_error_\2"),
    ("threads/pt2pt/mt_probe_impl.c", r"\*message != MPI_REQUEST_NULL", "*message != MPI_MESSAGE_NULL"),
    ("util/mtest_thread.c", r"(#include \"mpitest.h\")", r"#include <sched.h>\n\1"),
    ("util/mtest_thread.c", r"(while \(num_left > 0\) \{)", r"\1\n        sched_yield();"),
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

    def row(self):
        """The row of the table that counts it."""
        return self.folder.split("/")[0] + (", generated types" if self.keys.get("dtpools") else "")


@dataclasses.dataclass
class Result:
    """What came of a line at a thread level."""

    line: Line
    level: str
    status: str
    seconds: float
    reason: str

    def text(self):
        return "\t".join([self.level, self.line.folder, self.line.text, self.status, f"{self.seconds:.1f}", self.reason]) + "\n"


def not_right():
    """folder/program -> why the standard does not ask for what its lines want."""
    rows = (HERE / "mpich_not_right.txt").read_text().splitlines()
    return dict(row.split(": ", 1) for row in rows if row and not row.startswith("#"))


def read_results(path):
    for row in path.read_text().splitlines():
        level, folder, text, status, seconds, reason = row.split("\t")
        yield Result(Line(folder, text), level, status, float(seconds), reason)


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
        key = hashlib.sha1((self.mpicc + header + repr(PATCHES)).encode()).hexdigest()[:10]  # another header is another build
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
            inner = f"{folder}/{text.split()[0]}"
            if (self.build / inner).is_dir():
                if inner not in LEFT_OUT:
                    yield from self.lines_of(inner)
            else:
                yield Line(folder, text)

    def generated_lines_of(self, folder):
        """The lines of a folder's list of generated datatypes, smaller: at most 8 types, 1 of more than 64 elements, and a quarter
        of 200,000 elements and more.

        A line sends up to thousands of messages of each type and compares every element, over every kind of communicator.
        """
        for text in (self.build / folder / "testlist.dtp").read_text().splitlines():
            text = re.sub(r"(count|cnt)=(\d{6})", lambda m: f"{m[1]}={int(m[2]) // 4 if int(m[2]) >= 200_000 else m[2]}", text)
            most = 1 if max(int(count) for count in re.findall(r"(?:count|cnt)=(\d+)", text)) > 64 else 8
            yield Line(folder, re.sub(r"-testsize=(\d+)", lambda m: f"-testsize={min(int(m[1]), most)}", text) + " dtpools=yes")

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

    def run(self, line, level, cap):
        """(status, seconds, reason) of one line; cap: the longest time for it in seconds, 0 for the suite's own limit."""
        if line.keys.get("strict", "").lower() == "false" and not (self.options.persistent and line.program.startswith("p_")):
            return "skip", 0, "strict=false"
        memory = float(line.keys.get("mem", 0))
        if memory > run_cases.available_gb():
            return "skip", 0, f"needs {memory:.0f} GB of memory"
        program = self.build / line.folder / line.program
        if not program.exists():
            return "build", 0, self.why_no_program(line)
        limit = int(line.keys.get("timeLimit", SUITE_LIMIT))
        limit = min(limit, cap) if cap else limit
        environment = {**self.env, **line.env, "MPIEXEC_TIMEOUT": str(limit)}
        if level == "multiple":
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
        reason = outcome[1].replace("\t", " ").replace(str(self.build) + "/", "").replace(str(self.prefix), "PREFIX")
        return outcome[0], seconds, reason[:240]


def explain(results):
    """Marks the lines that failed because they want more than the standard."""
    reasons = not_right()
    for result in results:
        name = f"{result.line.folder}/{result.line.program}"
        if result.status in ("fail", "timeout", "build") and name in reasons:
            result.status, result.reason = "notright", reasons[name]
    return results


def counted(counter):
    return sum(counter[status] for status in ("pass", "fail", "timeout", "build"))


def count(results, level):
    """Row of the table -> how many lines of each status; "total" last."""
    rows = collections.defaultdict(collections.Counter)
    for result in results:
        if result.level == level:
            for row in (result.line.row(), "total"):
                rows[row].update({"lines": 1, result.status: 1, "seconds": result.seconds})
    if rows:
        rows["total"] = rows.pop("total")
    return rows


def table(results, level, beside):
    """The Markdown table of a thread level with a row per folder; beside: name -> results of other runs."""
    rows, others = count(results, level), {name: count(other, level) for name, other in beside.items()}
    others = {name: other for name, other in others.items() if other}
    text = [f"Thread level {level}:\n", f"| directory | lines | {' | '.join([*COLUMNS.values(), 'seconds', *others])} |",
            "|---" * (len(COLUMNS) + 3 + len(others)) + "|"]
    for name, n in rows.items():
        peers = [f"{other[name]['pass']} of {counted(other[name])}" if name in other else "" for other in others.values()]
        text.append(f"| {' | '.join([name, *(str(n[c]) for c in ('lines', *COLUMNS)), str(round(n['seconds'])), *peers])} |")
    total = rows["total"]
    percent = 100 * total["pass"] / counted(total) if counted(total) else 0
    text.append(f"\n{total['pass']} of {counted(total)} lines passed ({percent:.1f} %), not counting those not yet built, those that "
                "want a send cancelled or what the standard does not ask for, and skipped ones\n")
    return "\n".join(text)


def report(results, beside):
    levels = dict.fromkeys(result.level for result in results)
    text = "\n".join(table(results, level, beside) for level in levels)
    opened = collections.defaultdict(list)
    for result in results:
        if result.status not in ("pass", "skip"):
            opened[result.line.name(), COLUMNS[result.status], result.reason].append(result.level)
    if opened:
        text += "\nLines that did not pass:\n\n"
    for (name, status, reason), where in opened.items():
        only = f" at level {where[0]}" if len(where) < len(levels) else ""
        text += f"- `{name}`: {status}{only}{': ' + reason if reason else ''}\n"
    return text


def chosen_lines(suite, options):
    if options.list:
        for row in options.list.read_text().splitlines():
            if row := row.split("#")[0].strip():
                folder, program = row.split()[0].rsplit("/", 1)
                yield Line(folder, program + row[len(row.split()[0]):])
        return
    for folder in options.dirs or DEFAULT_DIRS:
        yield from suite.lines_of(folder.rstrip("/"))
    if options.dtpools:
        for folder in options.dirs or DTPOOLS_DIRS:
            if folder in DTPOOLS_DIRS:
                yield from suite.generated_lines_of(folder)


def run_lines(suite, lines, options):
    """All results; those that ran out of time get a second try at the end, under the suite's own limit, if --retry asks for it."""
    results = []

    def run(line, level, cap):
        result = Result(line, level, *suite.run(line, level, cap))
        print(f"{result.status:8} {result.seconds:6.1f} s  {level:8}  {line.name()[:90]}"
              f"{'   [' + result.reason[:100] + ']' if result.reason else ''}", file=sys.stderr)
        return result

    with open(options.workdir / f"{options.name}.tsv", "w", buffering=1) as file:
        for level in ("single", "multiple") if options.threads == "both" else (options.threads,):
            for line in lines:
                if options.threads == "both" and level == "single" and line.row() == "threads":
                    continue  # these ask for their own level, so once is enough
                results.append(run(line, level, options.cap))
                file.write(results[-1].text())
    for i, result in enumerate(results):
        if options.retry and result.status == "timeout":
            results[i] = run(result.line, result.level, 0)
    (options.workdir / f"{options.name}.tsv").write_text("".join(result.text() for result in results))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path, help="the installation to measure; MPICC and MPIRUN name other commands")
    parser.add_argument("workdir", type=pathlib.Path, help="scratch folder: sources, builds, results")
    parser.add_argument("dirs", nargs="*", help=f"folders of the suite; default: {' '.join(DEFAULT_DIRS)}, without their parts that "
                        "need one-sided communication or files")
    parser.add_argument("--whole", action="store_true", help="--persistent --dtpools --threads both --retry")
    parser.add_argument("--list", type=pathlib.Path, metavar="FILE", help='lines of the form "folder/program np key=value..."')
    parser.add_argument("-k", metavar="TEXT", default="", help="only lines that contain TEXT")
    parser.add_argument("--cap", type=int, default=60, metavar="SECONDS", help="longest time for a line (60); 0: the suite's limits")
    parser.add_argument("--threads", choices=("single", "multiple", "both"), default="single", help="the level that tests ask for; "
                        "those of threads ask for their own, and run once with \"both\"")
    parser.add_argument("--persistent", action="store_true", help="run the persistent collectives, which the suite calls not strict")
    parser.add_argument("--dtpools", action="store_true", help="run the lists of generated datatypes too, with fewer types a line")
    parser.add_argument("--retry", action="store_true", help="repeat what ran out of time at the end, under the suite's own limit")
    parser.add_argument("--name", default="mpich", help="of this run's file of results (mpich)")
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=FILE", help="show another run's results in a column")
    parser.add_argument("--report", action="store_true", help="run nothing, report on the file of results again")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE", help="write tables and open lines there")
    options = parser.parse_args()
    if options.whole:
        options.persistent = options.dtpools = options.retry = True
        options.threads = "both"
    beside = {name: list(read_results(pathlib.Path(path))) for name, _, path in (each.partition("=") for each in options.beside)}
    if options.report:
        results = list(read_results(options.workdir / f"{options.name}.tsv"))
    else:
        suite = Suite(options)
        suite.prepare()
        lines = [line for line in chosen_lines(suite, options) if options.k in line.name()]
        suite.compile(lines)
        results = run_lines(suite, lines, options)
    explain(results)
    text = report(results, beside)
    print(text)
    if options.markdown:
        options.markdown.write_text(text)
    return 0 if all(result.status not in ("fail", "timeout", "build") for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
