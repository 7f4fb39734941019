#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Builds and runs the programs of test/mpi and test/cases with an installed MPI, and says what passed.

A case is one file:
  NAME.c   compiled with mpicc; each comment line "// run: np=1,2,4 timeout=60 [mem=GB] [args="..."] [env=NAME=VALUE]..." is a
           run for each of its counts. A run passes with exit status 0 and "ok" as last line of output; 77 means skipped.
  NAME.f, NAME.f90   the same with mpifort, and a "!" before "run:"; skipped where the installation has no Fortran.
  NAME.sh, NAME.py   runs by itself with MPIRUN, MPICC, MPICXX, PREFIX, TESTDIR (an empty folder of its own) in the environment,
           passes with exit status 0; 77 means skipped, with the reason on stdout. A comment "# run: timeout=60" sets its limit.
Whatever a case starts must have ended with it: what is left over is ended here, and the case fails.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from xml.sax.saxutils import quoteattr

SKIPPED = 77
COMPILED = {".c": ("mpicc", ["-std=gnu11", "-O1", "-g", "-Wall", "-pthread"], ["-lm"]), ".f": ("mpifort", ["-O1", "-g", "-fallow-argument-mismatch", "-w"], []),
            ".f90": ("mpifort", ["-O1", "-g", "-Wall"], [])}
NO_FABRIC = re.compile(r"(?:ompi-lite was built without libfabric|libfabric cannot be opened).*")  # then what asks for it is skipped
SHOWN_LINES = 25  # of the output of a failed run


@dataclasses.dataclass
class Run:
    """One start of one case."""

    source: pathlib.Path
    np: int = 0  # 0: a script, which starts what it wants
    timeout: float = 60
    mem_gb: float = 0
    args: list = dataclasses.field(default_factory=list)
    env: dict = dataclasses.field(default_factory=dict)

    def name(self):
        details = [f"np={self.np}"] if self.np else []
        details += [f"{k}={v}" for k, v in self.env.items()] + self.args
        return f"{self.source.parent.name}/{self.source.stem}" + (f" [{' '.join(details)}]" if details else "")


@dataclasses.dataclass
class Outcome:
    status: str  # passed, failed, skipped
    seconds: float
    text: str = ""


def parse_runs(source):
    """The runs that the "run:" comments of a case ask for."""
    lines = re.findall(r"^\s*(?://|#|!)\s*run:\s*(.*)$", source.read_text(), re.M)
    runs = []
    for line in lines or [""]:
        run, counts = Run(source), [1]
        for word in shlex.split(line):
            key, _, value = word.partition("=")
            if key == "np":
                counts = [int(n) for n in value.split(",")]
            elif key == "timeout":
                run.timeout = float(value)
            elif key == "mem":
                run.mem_gb = float(value)
            elif key == "args":
                run.args = shlex.split(value)
            elif key == "env":
                name, _, content = value.partition("=")
                run.env[name] = content
            else:
                sys.exit(f"{source}: run: does not know {word!r}")
        runs += [dataclasses.replace(run, np=n) for n in counts] if source.suffix in COMPILED else [run]
    return runs


def available_gb():
    text = pathlib.Path("/proc/meminfo").read_text()
    available = int(re.search(r"MemAvailable:\s+(\d+)", text)[1]) / 1e6
    limit = pathlib.Path("/sys/fs/cgroup/memory.max")
    if limit.is_file() and limit.read_text().strip().isdigit():
        used = int(pathlib.Path("/sys/fs/cgroup/memory.current").read_text())
        available = min(available, (int(limit.read_text()) - used) / 1e9)
    return available


def left_over(mark):
    """Processes that carry our mark in their environment: started, directly or not, by the run that has just ended."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes() and (folder / "stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                found.append((int(folder.name), (folder / "comm").read_text().strip()))
        except OSError:
            pass
    return found


def run_command(command, run, folder, environment, output_folder=None):
    """Runs it in the folder under the time limit; returns status, output and a line on what went wrong around it."""
    mark = uuid.uuid4().hex
    environment = {**environment, "OMPI_LITE_TEST_MARK": mark}
    output_file = (output_folder or folder) / "output"
    with open(output_file, "wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=folder,
                                   env=environment, start_new_session=True)
        trouble = ""
        try:
            status = process.wait(run.timeout)
        except subprocess.TimeoutExpired:
            trouble = f"did not end in {run.timeout:.0f} s"
            process.send_signal(signal.SIGTERM)
            try:
                status = process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                status = process.wait()
    deadline = time.monotonic() + 2
    while (rest := left_over(mark.encode())) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid, name in rest:
        trouble += f"{'; ' if trouble else ''}left {name} (pid {pid}) behind"
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return status, output_file.read_text(errors="replace"), trouble


class Runner:
    """Builds each C case once and runs what is asked for; used by several threads."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.tools = {}
        for tool in ("mpicc", "mpicxx", "mpifort", "mpirun"):  # a path of our own may have blanks; what the caller gives is a command line
            given, ours = getattr(options, tool), f"{options.prefix}/bin/{tool}"
            self.tools[tool] = (shlex.split(given), given) if given else ([ours], ours)
        self.environment = {**os.environ, "PREFIX": options.prefix, **{t.upper(): text for t, (_, text) in self.tools.items()}}
        self.build_lock, self.built = threading.Lock(), {}

    def build(self, source):
        """The program and what the compiler said when there is none."""
        with self.build_lock:
            if source not in self.built:
                program = self.work / source.parent.name / source.name.replace(".", "_")
                program.parent.mkdir(exist_ok=True)
                tool, flags, libraries = COMPILED[source.suffix]
                modules = ["-J", program.parent] if tool == "mpifort" else []  # or they land where we are
                command = [*self.tools[tool][0], *flags, *modules, "-o", program, source, *libraries]
                done = subprocess.run(command, capture_output=True, text=True)
                self.built[source] = (program, None if done.returncode == 0 else done.stdout + done.stderr)
            return self.built[source]

    def run(self, run):
        if run.mem_gb and available_gb() < run.mem_gb:
            return Outcome("skipped", 0, f"needs {run.mem_gb:.0f} GB of memory")
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        environment = {**self.environment, **run.env, "TESTDIR": str(folder)}
        if run.source.suffix in COMPILED:
            program, error = self.build(run.source)
            if error is not None and "was built without Fortran" in error:
                return Outcome("skipped", 0, error.strip())
            if error is not None:
                return Outcome("failed", 0, "does not build:\n" + error)
            command = [*self.tools["mpirun"][0], "-n", str(run.np), program, *run.args]
        else:
            command = [sys.executable if run.source.suffix == ".py" else "/bin/bash", run.source]
        start = time.monotonic()
        status, output, trouble = run_command(command, run, folder, environment)
        seconds = time.monotonic() - start
        shutil.rmtree(folder, ignore_errors=True)
        if trouble:
            return Outcome("failed", seconds, f"{trouble}\n{output}")
        if status == SKIPPED:
            return Outcome("skipped", seconds, (output.strip().splitlines() or ["no reason given"])[-1])
        if status != 0 and "ofi" in run.env.get("OMPI_LITE_TRANSPORTS", "").split(",") and (no_fabric := NO_FABRIC.search(output)):
            return Outcome("skipped", seconds, no_fabric[0])
        if status != 0:
            return Outcome("failed", seconds, f"exit status {status}\n{output}")
        if run.source.suffix in COMPILED and (output.splitlines() or [""])[-1] != "ok":
            return Outcome("failed", seconds, f'the last line is not "ok"\n{output}')
        return Outcome("passed", seconds)


def show(run, outcome):
    print(f"{outcome.status:8} {outcome.seconds:7.2f} s  {run.name()}", flush=True)
    if outcome.status == "failed":
        lines = outcome.text.rstrip().splitlines()
        dropped = [f"... {len(lines) - SHOWN_LINES} lines ..."] if len(lines) > SHOWN_LINES else []
        print("\n".join("    | " + line for line in lines[:5] + dropped + lines[5:][-(SHOWN_LINES - 5):]), flush=True)
    elif outcome.status == "skipped":
        print(f"    | {outcome.text}", flush=True)


def write_junit(path, results):
    with open(path, "w") as out:
        bad = sum(o.status == "failed" for _, o in results)
        out.write(f'<testsuite name="cases" tests="{len(results)}" failures="{bad}">\n')
        for run, outcome in results:
            out.write(f"  <testcase classname={quoteattr(run.source.parent.name)} name={quoteattr(run.name())} "
                      f'time="{outcome.seconds:.3f}">')
            if outcome.status != "passed":
                out.write(f"<{'failure' if outcome.status == 'failed' else 'skipped'} message={quoteattr(outcome.text[-2000:])}/>")
            out.write("</testcase>\n")
        out.write("</testsuite>\n")


def hear_signals():
    """Those who start this in the background may have it ignore signals, and a shell script cannot change that for itself."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def main():
    hear_signals()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", type=pathlib.Path, help="files, or folders of them")
    parser.add_argument("--prefix", default=os.environ.get("PREFIX", ""), help="the installation to test (default: $PREFIX)")
    parser.add_argument("--mpicc", help="default: PREFIX/bin/mpicc; mpicxx, mpifort and mpirun likewise")
    parser.add_argument("--mpicxx")
    parser.add_argument("--mpifort")
    parser.add_argument("--mpirun")
    parser.add_argument("-k", metavar="TEXT", default="", help="only runs whose name contains TEXT")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--scale-timeouts", type=float, default=1, metavar="FACTOR")
    parser.add_argument("--junit", metavar="FILE")
    parser.add_argument("--list", action="store_true", help="name the runs and end")
    options = parser.parse_args()

    sources = [p for c in options.cases for p in (sorted(c.iterdir()) if c.is_dir() else [c])]
    sources = [p.resolve() for p in sources if p.suffix in (*COMPILED, ".sh", ".py")]
    runs = [run for source in sources for run in parse_runs(source) if options.k in run.name()]
    if options.list:
        print("\n".join(run.name() for run in runs))
        return 0
    for run in runs:
        run.timeout *= options.scale_timeouts

    results = []
    options.prefix = options.prefix and os.path.abspath(options.prefix)  # each case runs in a folder of its own
    with tempfile.TemporaryDirectory(prefix="cases.") as work:
        runner = Runner(options, pathlib.Path(work))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for run, outcome in zip(runs, pool.map(runner.run, runs)):
                show(run, outcome)
                results.append((run, outcome))
    if options.junit:
        write_junit(options.junit, results)
    count = {status: sum(o.status == status for _, o in results) for status in ("passed", "failed", "skipped")}
    print(f"\n{len(results)} runs: " + ", ".join(f"{n} {status}" for status, n in count.items()))
    for run, outcome in results:
        if outcome.status == "failed":
            print(f"  failed: {run.name()}: {(outcome.text.splitlines() or [''])[0]}")
    return 1 if count["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
