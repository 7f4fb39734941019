#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures this MPI and others over several hosts side by side, in one go, and prints ratios.

The hosts are network namespaces joined by veth (test/support/hosts.py), so this needs root and shows what the software costs, not what
a network does. All run in turn, also a plain socket that copies the same messages: A B C plain A B C plain ... A figure is the least of
the rounds. "ratio" is ours by the best peer: below 1 we are faster. "of plain" is our speed by that of the plain socket: above 1 we are.

  compare_hosts.py --prefix PREFIX                          all tables, with Debian's Open MPI and MPICH
  compare_hosts.py --prefix PREFIX --no-debian --peer openmpi5=VENV --peer mpich5=VENV
  compare_hosts.py --prefix PREFIX --tables pt2pt,allreduce,startup --rounds 5
"""

import argparse
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from compare import HERE, Table, execute, find_mpis, markdown, number, print_rows, size_text

PT2PT = "8,1K,8K,64K,256K,1M,4M,16M"
ALLREDUCE = "8,64,1K,4K,16K,64K,256K,1M,4M"
PORT = 50123


class OverHosts:
    """Starts programs of any MPI on emulated hosts."""

    def __init__(self, hosts, login):
        self.hosts, self.login = hosts, login

    def environment(self, mpi):
        own = {"HOSTS_DIR": str(self.hosts.folder), "OMPI_MCA_plm_rsh_agent": str(self.login), "PRTE_MCA_plm_ssh_agent": str(self.login)}
        if mpi.kind == "openmpi":
            own |= {f"{name}_ALLOW_RUN_AS_ROOT{more}": "1" for name in ("OMPI", "PRTE") for more in ("", "_CONFIRM")}
        return own

    def command(self, mpi, hosts, each, arguments):
        """Not bound: what every host would bind to its first core would share one core of this machine."""
        names = ",".join(f"n{i}:{each}" for i in range(hosts))
        if mpi.kind == "mpich":
            words = ["-launcher", "ssh", "-launcher-exec", self.login, "-iface", "eth0", "-hosts", names, "-bind-to", "none"]
        else:
            words = ["--host", names, "--bind-to", "none"]
            if mpi.kind == "openmpi":
                words += ["--prefix", str(pathlib.Path(mpi.mpirun).parent.parent)] if "/" in mpi.mpirun else []
                words += ["--mca", "mpi_yield_when_idle", "1"] if hosts * each > os.cpu_count() else []
        environment = [f"{key}={value}" for key, value in self.environment(mpi).items()]
        return self.hosts.enter("n0", "env", *environment, mpi.mpirun, *words, "-n", hosts * each, mpi.program, *arguments)

    def run(self, mpi, hosts, each, arguments, timeout):
        return execute(self.command(mpi, hosts, each, arguments), timeout)

    def plain(self, program, sizes, timeout):
        """The output of the plain socket between the first two hosts."""
        address = "10.77.0.2"
        server = subprocess.Popen(self.hosts.enter("n1", program, address, PORT, sizes, "listen"))
        try:
            status, output, _ = execute(self.hosts.enter("n0", program, address, PORT, sizes), timeout)
        finally:
            server.kill() if server.poll() is None and status != 0 else server.wait(20)
        return status, output


class Plain:
    """Stands in the table as one more MPI."""
    name = "plain"


def measure(over, mpis, hosts, each, operations, sizes, options, table, plain=None):
    plain_sizes = sizes and ",".join(str(bytes_of(size)) for size in sizes.split(","))
    end = time.monotonic() + options.seconds
    for number_of_round in range(options.rounds):
        if number_of_round > 0 and time.monotonic() > end:
            table.note(f"{operations} over {hosts} x {each}: {number_of_round} rounds in {options.seconds:.0f} s")
            break
        for mpi in mpis:
            arguments = [f"--ops={operations}", f"--sizes={sizes}", "--no-line", "--limit=1", "--repeats=15"]
            status, output, _ = over.run(mpi, hosts, each, arguments, options.timeout)
            table.read(mpi, output)
            if status != 0:
                table.note(f"{mpi.name}: {operations} over {hosts} x {each}: " + ("no end" if status is None else f"exit status {status}"))
                print(output[-1500:], file=sys.stderr)
        if plain:
            table.read(Plain, over.plain(plain, plain_sizes, options.timeout)[1])
        print(f"{operations} over {hosts} x {each}: round {number_of_round + 1} of {options.rounds} done", file=sys.stderr)


def bytes_of(text):
    shift = {"K": 10, "M": 20}.get(text[-1].upper(), 0)
    return int(text[:-1] if shift else text) << shift


def rows_of(table, mpis, plain):
    """A row for each operation and size, and the geometric mean of each operation."""
    names = [m.name for m in mpis]
    head = ["operation", "bytes", *(f"{n} us" for n in names), *(["plain us", "of plain"] if plain else []), "ratio"]
    rows, ratios = [], {}
    for key in table.figures:
        values, ratio = [table.median(key, n) for n in names], table.ratio(key, names)
        row = [key[0], size_text(key[1]), *(number(v) for v in values)]
        if plain:
            base = table.median(key, "plain")
            row += [number(base), f"{base / values[0]:.2f}" if base and values[0] else "-"]
        rows.append(row + ["-" if ratio is None else f"{ratio:.2f}"])
        if ratio:
            ratios.setdefault(key[0], []).append(ratio)
    for operation, values in ratios.items():
        mean = math.exp(sum(math.log(v) for v in values) / len(values))
        rows.append([operation, "mean", *([""] * (len(head) - 3)), f"{mean:.2f}"])
    return head, rows


def startup(over, mpis, options):
    """Least time of a job that initialises, meets and finalizes."""
    times = {mpi.name: [] for mpi in mpis}
    for _ in range(options.rounds + 2):
        for mpi in mpis:
            status, output, seconds = over.run(mpi, 4, 4, ["--hello"], options.timeout)
            if status == 0:
                times[mpi.name].append(seconds)
            else:
                print(f"{mpi.name}: does not start: {status}\n{output[-800:]}", file=sys.stderr)
    row = ["4 hosts x 4"]
    for mpi in mpis:
        row.append(number(min(times[mpi.name]) * 1e3) if times[mpi.name] else "-")
    for mpi in mpis[1:]:
        ours, theirs = times[mpis[0].name], times[mpi.name]
        row.append(f"{min(ours) / min(theirs):.2f}" if ours and theirs else "-")
    return ["start-up", *(f"{m.name} ms" for m in mpis), *(f"by {m.name}" for m in mpis[1:])], [row]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", required=True, help="our installation")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PREFIX", help="one more MPI, by its prefix")
    parser.add_argument("--no-debian", action="store_true", help="leave out mpicc.openmpi and mpicc.mpich")
    parser.add_argument("--tables", default="pt2pt,allreduce,startup")
    parser.add_argument("--sizes", help="in place of those of each table")
    parser.add_argument("--ops", help="in place of latency,bandwidth or allreduce")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=900, help="no new round of a table begins after so long")
    parser.add_argument("--timeout", type=float, default=180, help="seconds for one run")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables there as well")
    options = parser.parse_args()
    options.prefix = str(pathlib.Path(options.prefix).resolve())
    return options


def main():
    options = parse()
    with tempfile.TemporaryDirectory(prefix="bench.") as folder:
        os.environ["TESTDIR"] = folder
        os.environ["MPIRUN"] = f"{options.prefix}/bin/mpirun"
        sys.path.insert(0, str(HERE.parent / "support"))
        from hosts import LOGIN, Hosts  # it looks for both variables
        mpis = find_mpis(options)
        for mpi in mpis:
            mpi.build(pathlib.Path(folder))
        plain = pathlib.Path(folder) / "plain_socket"
        subprocess.run(["cc", "-O2", "-o", str(plain), str(HERE / "plain_socket.c")], check=True)
        wanted = options.tables.split(",")
        tables, notes = [], []
        for count in (2, 4):
            if count == 4 and not {"allreduce", "startup"} & set(wanted):
                continue
            hosts = Hosts(count)
            over = OverHosts(hosts, LOGIN)
            if count == 2 and "pt2pt" in wanted:
                table = Table("least")
                measure(over, mpis, 2, 1, options.ops or "latency,bandwidth", options.sizes or PT2PT, options, table, plain)
                tables.append(("2 hosts x 1", *rows_of(table, mpis, True)))
                notes += table.notes
            if "allreduce" in wanted:
                table = Table("least")
                measure(over, mpis, count, 2, options.ops or "allreduce", options.sizes or ALLREDUCE, options, table)
                tables.append((f"{count} hosts x 2", *rows_of(table, mpis, False)))
                notes += table.notes
            if count == 4 and "startup" in wanted:
                tables.append(("start-up", *startup(over, mpis, options)))
            hosts.close()
            hosts.folder.rename(hosts.folder.with_suffix(f".{count}.done"))
    for title, head, rows in tables:
        print(title)
        print_rows(head, rows)
        print()
    for note in notes:
        print("note:", note)
    if options.markdown:
        pathlib.Path(options.markdown).write_text("\n".join(f"{title}\n\n{markdown(head, rows)}" for title, head, rows in tables))
    return 1 if any("WRONG" in note for note in notes) else 0


if __name__ == "__main__":
    sys.exit(main())
