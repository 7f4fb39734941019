# SPDX-License-Identifier: BSD-3-Clause
"""A02: the ranks that Hydra and PRRTE start on several hosts are one job, also where the hosts have different numbers of them."""
# run: timeout=240
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from foreign import build_who, hydras, lines, prterun_environment, prteruns
from hosts import LOGIN, Hosts
from launching import expect, run, skip

if not hydras() and not prteruns():
    skip("needs mpiexec.hydra of MPICH or prterun of PRRTE")
hosts = Hosts(3)
program = build_who()


def start(*words, env=None):
    # Some launchers hang at the end for reasons of their own, and do not heed SIGTERM.
    return run(hosts.enter("n0", "timeout", "-k", "2", "40", *words), env=hosts.environment(more=env), timeout=60)


def check(ran, here):
    expect(ran.code == 0 and sorted(ran.out.splitlines()) == lines(here), ran, f"one job of {here}")


for hydra in hydras():
    words = [hydra, "-launcher", "ssh", "-launcher-exec", LOGIN, "-iface", "eth0"]
    check(start(*words, "-hosts", "n0:2,n1:1", "-n", 3, program), [2, 2, 1])
    check(start(*words, "-pmi-port", "-hosts", "n1:1,n2:2", "-n", 4, program), [2, 2, 2, 2])
    check(start(*words, "-hosts", "n0:1,n1:1,n2:1", "-n", 5, program), [2, 2, 1, 2, 2])
    ran = start(*words, "-hosts", "n0:2,n1:1", "-n", 3, program, "abort", 7)
    expect(ran.code == 7, ran, "MPI_Abort ends all, with its code")
    ran = start(*words, "-hosts", "n0:2,n1:1", "-n", 3, program, "status", 4)
    expect(ran.code == 4, ran, "a rank's exit status is the job's")

for prterun in prteruns():
    env = prterun_environment(prterun)
    words = [prterun, "--prtemca", "plm_ssh_agent", LOGIN, "--prefix", env["PRTE_PREFIX"], "--bind-to", "none"]
    for _ in range(3):  # ranks that leave at different times
        check(start(*words, "--host", "n0:2,n1:1", "-n", 3, program, env=env), [2, 2, 1])
    check(start(*words, "--host", "n0:2,n1:2", "--map-by", "node", "-n", 4, program, env=env), [2, 2, 2, 2])
    ran = start(*words, "--host", "n0:2,n1:1", "-n", 3, program, "status", 4, env=env)
    expect(ran.code == 4, ran, "a rank's exit status is the job's")
hosts.close()
