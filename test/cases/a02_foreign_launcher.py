# SPDX-License-Identifier: BSD-3-Clause
"""A02: a launcher of another product starts a program as ranks of one job, where it offers PMIx or PMI-1. Where it offers
neither, the program says so; it does not become N jobs of one."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
from foreign import build_who, hydras, lines, prterun_environment, prteruns
from launching import expect, run

program = build_who()
for env in ({"PMI_RANK": "0", "PMI_SIZE": "4"}, {"PMI_RANK": "2", "PMI_SIZE": "4"}, {"SLURM_NPROCS": "4", "SLURM_PROCID": "0"},
            {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0"},
            {"PMIX_NAMESPACE": "gone", "PMIX_RANK": "0", "PMIX_SERVER_URI2": "gone.0;tcp4://127.0.0.1:9"},
            {"PMI_FD": "77", "PMI_RANK": "0", "PMI_SIZE": "4"}, {"PMI_FD": "x"}, {"PMI_FD": "2", "PMI_RANK": "0", "PMI_SIZE": "2"},
            {"PMI_PORT": "127.0.0.1:9", "PMI_ID": "0"}, {"PMI_PORT": "127.0.0.1:9"}, {"PMI_PORT": "9", "PMI_ID": "0"}):
    ran = run([program], env=env, timeout=30)
    silent = ran.code == 0 and not ran.err.strip()
    expect(not silent, ran, f"silently one rank with {env}")
    expect(len(ran.err.strip().splitlines()) <= 4, ran, "a clear word, not a page")
    named = [word for word in ("PMI_FD", "PMI_PORT") if word in env]
    expect(all("PMI" in ran.err for _ in named), ran, f"names what is wrong with {env}")

# What an outer job has left in the environment does not matter to Hydra's ranks.
outer = {"PMIX_RANK": "7", "PMIX_NAMESPACE": "outer", "PMIX_SERVER_URI2": "outer.0;tcp4://127.0.0.1:9"}
for hydra in hydras():
    for port in ([], ["-pmi-port"]):
        ran = run([hydra, *port, "-n", "4", program], env=outer, timeout=30)
        expect(ran.code == 0 and sorted(ran.out.splitlines()) == lines([4] * 4), ran, "4 ranks of one job")
        ran = run([hydra, *port, "-n", "2", program, ":", "-n", "1", program], timeout=30)
        expect(ran.code == 0 and sorted(ran.out.splitlines()) == lines([3] * 3, [0, 0, 1]), ran, "two parts")
        ran = run([hydra, *port, "-n", "1", program], timeout=30)
        expect(ran.code == 0 and ran.out.splitlines() == lines([1]), ran, "one rank")
        ran = run([hydra, *port, "-n", "3", program, "abort", "7"], timeout=30)
        expect(ran.code == 7, ran, "MPI_Abort ends all, with its code")
        ran = run([hydra, *port, "-n", "3", program, "status", "4"], timeout=30)
        expect(ran.code == 4, ran, "a rank's exit status is the job's")

for prterun in prteruns():
    words, env = [prterun, "--map-by", ":OVERSUBSCRIBE", "--bind-to", "none"], prterun_environment(prterun)
    ran = run([*words, "-n", "4", program], env=env, timeout=30)
    expect(ran.code == 0 and sorted(ran.out.splitlines()) == lines([4] * 4), ran, "4 ranks of one job")
    ran = run([*words, "-n", "2", program, ":", "-n", "1", program], env=env, timeout=30)
    expect(ran.code == 0 and sorted(ran.out.splitlines()) == lines([3] * 3, [0, 0, 1]), ran, "two parts")
    ran = run([*words, "-n", "3", program, "abort", "7"], env=env, timeout=30)
    expect(ran.code == 7, ran, "MPI_Abort ends all, with its code")
    ran = run([*words, "-n", "3", program, "status", "4"], env=env, timeout=30)
    expect(ran.code == 4, ran, "a rank's exit status is the job's")
