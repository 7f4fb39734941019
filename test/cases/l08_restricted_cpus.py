# SPDX-License-Identifier: BSD-3-Clause
"""L08: the CPU set that mpirun inherits holds for the ranks; two jobs do not both sit on CPU 0."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from launching import expect, mpirun, run, command, skip, start_mpirun

allowed = sorted(os.sched_getaffinity(0))
if len(allowed) < 2:
    skip("needs two CPUs")
show = ["grep", "Cpus_allowed_list", "/proc/self/status"]
last = allowed[-1]


def cpus(text):
    return [line.split()[1] for line in text.splitlines()]


for ranks in (1, 2, 4):
    for options in ([], ["--bind-to", "core"], ["--bind-to", "none"], ["--bind-to", "hwthread"], ["--bind-to", "socket"]):
        ran = run(["taskset", "-c", str(last), *command("MPIRUN"), "-n", ranks, *options, *show])
        expect(ran.code == 0 and cpus(ran.out) == [str(last)] * ranks, ran, "a rank outside of the inherited set")
        expect(ran.err == "", ran, "an error about binding")
# Two jobs at once, each asked what it may use while the other is there.
jobs = [start_mpirun("-n", 1, "sh", "-c", "grep Cpus_allowed_list /proc/$$/status; sleep 0.5") for _ in range(2)]
found = [cpus(job.communicate(timeout=30)[0].decode())[0] for job in jobs]
expect(not (found[0] == found[1] and found[0].isdigit()), found, "both jobs are pinned to the same CPU")
jobs = [start_mpirun("-n", len(allowed), "sh", "-c", "grep Cpus_allowed_list /proc/$$/status; sleep 0.5") for _ in range(2)]
found = [cpus(job.communicate(timeout=30)[0].decode()) for job in jobs]
pinned = [[c for c in each if c.isdigit()] for each in found]
expect(not (pinned[0] and pinned[1]), found, "two jobs that fill the machine are both pinned")
# Asked for, it is done and reported.
ran = mpirun("-n", 2, "--bind-to", "hwthread", "--report-bindings", *show)
expect(sorted(cpus(ran.out)) == [str(c) for c in allowed[:2]], ran, "not bound as asked")
expect(ran.err.count("bound to CPU") == 2, ran, "bindings are not reported")
ran = mpirun("-n", 2, "--bind-to", "cores!", "true")
expect(ran.code != 0 and "cores!" in ran.err, ran, "a wrong word for --bind-to")
