#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures this MPI and others side by side, in one go, and prints ratios.

The same benchmark is built with each mpicc and run in turn: A B C A B C ..., a few operations at a time, so that a slow spell of
the machine meets all alike. The median over the rounds of each run's median is compared (see --statistic). "ratio" is ours by
the best peer: below 1 we are faster. "lines" is our time in units of the line time, measured in the same run.

  compare.py --prefix PREFIX                      2 ranks, all operations, all sizes
  compare.py --prefix PREFIX --quick              few operations and sizes
  compare.py --prefix PREFIX --ranks 2,4,8 --ops allreduce,bcast --sizes 8,64K --rotate
  compare.py --prefix PREFIX --startup --memory   time of init + barrier + finalize, memory of a started rank
  compare.py --prefix PREFIX --aims               the project's own targets, each with its verdict
"""

import argparse
import json
import os
import pathlib
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ["bench.c", "timing.c", "pt2pt.c", "collectives.c", "output.c"]
QUICK_OPS = "latency,bandwidth,message_rate,barrier,bcast,reduce,allreduce,allgather,alltoall"
QUICK_SIZES = "8,4K,64K,1M"
GROUP = 3  # operations that run together before the next MPI has its turn


class Mpi:
    """One implementation: how to compile for it and how to start with it."""

    def __init__(self, name, mpicc, mpirun, kind):
        self.name, self.mpicc, self.mpirun, self.kind = name, mpicc, mpirun, kind
        self.program = None

    def build(self, folder):
        self.program = folder / f"bench.{self.name}"
        command = [self.mpicc, "-std=gnu11", "-O3", "-w", "-o", str(self.program), *(str(HERE / s) for s in SOURCES), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{self.name}: {shlex.join(command)}\n{done.stdout}{done.stderr}")

    def command(self, ranks, bind, arguments):
        crowded = ranks > len(os.sched_getaffinity(0))
        bind = "none" if crowded else bind
        if self.kind == "openmpi":  # yielding is its best setting, and its own choice, with more ranks than cores
            options = ["--allow-run-as-root", "--oversubscribe", "--bind-to", bind]
            options += ["--mca", "mpi_yield_when_idle", "1"] if crowded else []
        else:
            options = ["-bind-to", bind] if self.kind == "mpich" else ["--bind-to", bind]
        return [self.mpirun, *options, "-n", str(ranks), str(self.program), *arguments]


def kind_of(mpirun):
    text = subprocess.run([mpirun, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
    if "Open MPI" in text or "OpenRTE" in text:
        return "openmpi"
    return "mpich" if "HYDRA" in text or "Intel" in text else "other"


def find_mpis(options):
    mpis = []
    if options.prefix:
        mpis.append(Mpi("ours", f"{options.prefix}/bin/mpicc", f"{options.prefix}/bin/mpirun", "ours"))
    for name in ("openmpi", "mpich"):
        if not options.no_debian and shutil.which(f"mpicc.{name}") and shutil.which(f"mpirun.{name}"):
            mpis.append(Mpi(name, f"mpicc.{name}", f"mpirun.{name}", name))
    for text in options.peer:
        name, _, prefix = text.partition("=")
        mpis.append(Mpi(name, f"{prefix}/bin/mpicc", f"{prefix}/bin/mpirun", kind_of(f"{prefix}/bin/mpirun")))
    return mpis


def execute(command, timeout):
    """Status (None: did not end in time), output, seconds."""
    start = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            status = None
            for sign in (signal.SIGTERM, signal.SIGKILL):  # the launcher first has its chance to end the ranks
                try:
                    os.killpg(process.pid, sign)
                    process.wait(5)
                    break
                except (subprocess.TimeoutExpired, ProcessLookupError):
                    pass
        seconds = time.monotonic() - start
        output.seek(0)
        return status, output.read(), seconds


class Table:
    """All figures: (op, bytes, ranks, buffers) -> name of the MPI -> medians of its rounds."""

    def __init__(self, statistic="median"):
        self.figures, self.lines, self.notes = {}, [], []
        self.column, self.over_rounds = (5, statistics.median) if statistic == "median" else (6, min)

    def read(self, mpi, output):
        for line in output.splitlines():
            fields = line.split("\t")
            if line.startswith("# line_us") and float(fields[1]) > 0:
                self.lines.append(float(fields[1]))
            elif line.startswith("# skipped"):
                self.note(f"{mpi.name}: {fields[1]} {fields[2]} bytes, {fields[3]} ranks: {fields[4]}")
            elif line.startswith("# WRONG"):
                self.note(f"{mpi.name}: WRONG RESULT: {' '.join(fields[1:])}")
            elif not line.startswith("#") and len(fields) == 10:
                key = (fields[0], int(fields[2]), int(fields[3]), fields[4])
                self.figures.setdefault(key, {}).setdefault(mpi.name, []).append(float(fields[self.column]))

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def median(self, key, name):
        values = self.figures.get(key, {}).get(name)
        return self.over_rounds(values) if values else None

    def ratio(self, key, names):
        ours, peers = self.median(key, "ours"), [self.median(key, n) for n in names if n != "ours"]
        peers = [p for p in peers if p]
        return ours / min(peers) if ours and peers else None

    def line_us(self):
        return statistics.median(self.lines) if self.lines else None


def operations_of(mpi, wanted):
    status, output, _ = execute(mpi.command(1, "none", ["--list", f"--ops={wanted}"]), 60)
    if status != 0:
        sys.exit(f"{mpi.name}: the benchmark does not run: exit status {status}\n{output}")
    return [line for line in output.split() if line]


def measure(mpis, options, table):
    names = operations_of(mpis[0], options.ops)
    groups = [names[i:i + GROUP] for i in range(0, len(names), GROUP)]
    given_up = set()
    for ranks in options.ranks:
        for number in range(options.rounds):
            for group in groups:
                for mpi in mpis:
                    if (mpi.name, ranks, group[0]) in given_up:
                        continue
                    arguments = [f"--ops={','.join(group)}", f"--sizes={options.sizes}", *options.arguments]
                    status, output, _ = execute(mpi.command(ranks, options.bind, arguments), options.timeout)
                    table.read(mpi, output)
                    if status != 0:
                        given_up.add((mpi.name, ranks, group[0]))
                        why = f"did not end in {options.timeout:.0f} s" if status is None else f"exit status {status}"
                        table.note(f"{mpi.name}: {','.join(group)} with {ranks} ranks: {why}; not tried again")
                        if status is not None:
                            print(output[-1500:], file=sys.stderr)
            print(f"{ranks} ranks: round {number + 1} of {options.rounds} done", file=sys.stderr)


def size_text(size):
    for shift, unit in ((20, "M"), (10, "K")):
        if size >> shift and size % (1 << shift) == 0:
            return f"{size >> shift}{unit}"
    return str(size)


def number(value, digits=4):
    return "-" if value is None else f"{value:.{digits}g}" if value < 10 ** digits else f"{value:.0f}"


def rows_of(table, mpis):
    names = [m.name for m in mpis]
    head = ["operation", "bytes", "ranks", "buffers", *(f"{n} us" for n in names), "lines", "ratio"]
    line, rows = table.line_us(), []
    for key in table.figures:
        medians = [table.median(key, n) for n in names]
        first = medians[0]
        ratio = table.ratio(key, names)
        rows.append([key[0], size_text(key[1]), str(key[2]), key[3], *(number(m) for m in medians),
                     number(first / line if line and first else None, 3), "-" if ratio is None else f"{ratio:.2f}"])
    return head, rows


def print_rows(head, rows):
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(c.ljust(w) if i < 1 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))))


def markdown(head, rows):
    return "\n".join("| " + " | ".join(r) + " |" for r in [head, ["---"] * len(head), *rows]) + "\n"


def start_times(mpis, counts, rounds, timeout):
    """(ranks, name) -> median seconds of a job that only initialises, meets in a barrier and finalises."""
    times = {}
    for ranks in counts:
        for _ in range(rounds):
            for mpi in mpis:
                status, output, seconds = execute(mpi.command(ranks, "none", ["--hello"]), timeout)
                if status == 0:
                    times.setdefault((ranks, mpi.name), []).append(seconds)
                else:
                    print(f"{mpi.name}: {ranks} ranks do not start: {status}\n{output[-500:]}", file=sys.stderr)
    return {key: statistics.median(values) for key, values in times.items()}


def memory(mpis, ranks, timeout):
    """name -> kilobytes: the largest peak, the sum of resident pages, the sum of proportional shares."""
    result = {}
    for mpi in mpis:
        _, output, _ = execute(mpi.command(ranks, "none", ["--hello"]), timeout)
        fields = {f[0]: f[1:] for f in (line.split("\t") for line in output.splitlines()) if f[0].startswith("memory_")}
        if fields:
            result[mpi.name] = (int(fields["memory_largest"][0]), int(fields["memory_sum"][1]), int(fields["memory_sum"][2]))
    return result


def show_start(mpis, options):
    times = start_times(mpis, [2, 8, 32], options.rounds, options.timeout)
    rows = []
    for ranks in (2, 8, 32):
        values = [times.get((ranks, m.name)) for m in mpis]
        peers = [v for m, v in zip(mpis, values) if v and m.name != "ours"]
        ratio = values[0] / min(peers) if values[0] and peers and mpis[0].name == "ours" else None
        rows.append(["init + barrier + finalize", str(ranks), *(number(v and v * 1e3) for v in values), number(ratio, 3)])
    return ["start-up", "ranks", *(f"{m.name} ms" for m in mpis), "ratio"], rows


def show_memory(mpis, options):
    found = memory(mpis, 4, options.timeout)
    titles = ["peak of the largest rank", "resident, sum of 4 ranks", "proportional, sum of 4 ranks"]
    rows = []
    for i, title in enumerate(titles):
        values = [found.get(m.name, (None,) * 3)[i] for m in mpis]
        peers = [v for m, v in zip(mpis, values) if v and m.name != "ours"]
        ratio = values[0] / min(peers) if values[0] and peers and mpis[0].name == "ours" else None
        rows.append([title, *(number(v and v / 1024) for v in values), number(ratio, 3)])
    return ["memory of a hello", *(f"{m.name} MB" for m in mpis), "ratio"], rows


def aims(mpis, options):
    """The targets of the first release, measured now; returns how many are missed."""
    names, verdicts = [m.name for m in mpis], []
    table, options.arguments = Table(options.statistic), []

    def judge(text, value, limit):
        good = value is not None and value <= limit
        verdicts.append(good)
        print(f"{'met   ' if good else 'MISSED'}  {text}: {number(value, 3)} (at most {limit})", flush=True)

    options.ranks, options.ops, options.sizes = [2], "latency,bandwidth", "8,64K,256K,1M,4M"
    measure(mpis, options, table)
    judge("ping-pong of 8 bytes, by the faster peer's", table.ratio(("latency", 8, 2, "reused"), names), 1.3)
    for size in (65536, 262144, 1 << 20, 4 << 20):
        for operation, text in (("bandwidth", "in a stream"), ("latency", "in a ping-pong")):
            judge(f"time of a message of {size_text(size)} {text}, by the best peer's",
                  table.ratio((operation, size, 2, "reused"), names), 1.0)
    ours = [mpis[0]]
    options.ranks, options.ops, options.sizes = [8], "allreduce", "8"
    if len(os.sched_getaffinity(0)) > 2:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    measure(ours, options, table)
    judge("allreduce of 8 bytes, 8 ranks on 2 cores, us", table.median(("allreduce", 8, 8, "reused"), "ours"), 40)
    times = start_times(mpis, [2, 32], options.rounds, options.timeout)
    for ranks, peer, factor in ((2, "mpich", 2), (2, "openmpi", 1), (32, "mpich", 0.5), (32, "openmpi", 0.5)):
        mine, theirs = times.get((ranks, "ours")), times.get((ranks, peer))
        judge(f"start-up of {ranks} ranks, by {peer}'s", mine / theirs if mine and theirs else None, factor)
    found = memory(mpis, 4, options.timeout)
    mine, theirs = found.get("ours"), found.get("openmpi")
    judge("resident memory of a hello with 4 ranks, by openmpi's", mine[1] / theirs[1] if mine and theirs else None, 1.0)
    for note in table.notes:
        print("note:", note)
    return verdicts.count(False)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", help="our installation; without it the peers alone are compared")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PREFIX", help="one more MPI, by its prefix")
    parser.add_argument("--no-debian", action="store_true", help="leave out mpicc.openmpi and mpicc.mpich")
    parser.add_argument("--ranks", default="2", type=lambda t: [int(n) for n in t.split(",")])
    parser.add_argument("--ops", default="all")
    parser.add_argument("--sizes", default="4:16M", help="4:16M walks in powers of two; 8,4K,1M lists")
    parser.add_argument("--bind", default="core", help="none where there are more ranks than cores")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--statistic", choices=["median", "least"], default="median",
                        help="of the batches and rounds; least tells more on a machine that is busy with other work")
    parser.add_argument("--timeout", type=float, default=180, help="seconds for one run")
    parser.add_argument("--rotate", action="store_true", help="rotate the buffers, so that the data are not in the core's cache")
    parser.add_argument("--sync", action="store_true", help="a barrier before each call; the call alone is timed")
    parser.add_argument("--quick", action="store_true", help="few operations and sizes, three rounds")
    parser.add_argument("--startup", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--aims", action="store_true")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables there as well")
    parser.add_argument("--json", metavar="FILE", help="write every round's medians there")
    options = parser.parse_args()
    if options.quick:
        options.rounds = min(options.rounds, 3)
        options.ops = QUICK_OPS if options.ops == "all" else options.ops
        options.sizes = QUICK_SIZES if options.sizes == "4:16M" else options.sizes
    options.arguments = (["--rotate"] if options.rotate else []) + (["--sync"] if options.sync else [])
    return options


def main():
    options = parse()
    mpis = find_mpis(options)
    if not mpis:
        sys.exit("no MPI to measure: give --prefix or --peer")
    tables, table = [], Table(options.statistic)
    with tempfile.TemporaryDirectory(prefix="bench.") as folder:
        for mpi in mpis:
            mpi.build(pathlib.Path(folder))
        if options.aims:
            return 1 if aims(mpis, options) else 0
        if options.startup:
            tables.append(show_start(mpis, options))
        if options.memory:
            tables.append(show_memory(mpis, options))
        if not tables:
            measure(mpis, options, table)
            tables.append(rows_of(table, mpis))
    for head, rows in tables:
        print_rows(head, rows)
        print()
    if table.line_us():
        print(f"line time {table.line_us() * 1e3:.0f} ns; {options.rounds} rounds; {os.cpu_count()} cores")
    for note in table.notes:
        print("note:", note)
    if options.markdown:
        pathlib.Path(options.markdown).write_text("\n".join(markdown(*t) for t in tables))
    if options.json:
        figures = [dict(zip(("op", "bytes", "ranks", "buffers"), k), medians=v) for k, v in table.figures.items()]
        pathlib.Path(options.json).write_text(json.dumps({"line_us": table.line_us(), "figures": figures}, indent=1))
    return 1 if any("WRONG" in n for n in table.notes) else 0


if __name__ == "__main__":
    sys.exit(main())
