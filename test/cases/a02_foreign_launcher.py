# SPDX-License-Identifier: BSD-3-Clause
"""A02: started by a launcher that offers no PMIx, a program says so; it does not become N jobs of one."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../support"))
import shutil

from launching import build_c, expect, run

program = build_c("who", r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int size, rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("%d/%d\n", rank, size);
  MPI_Finalize();
  return 0;
}
""")
for env in ({"PMI_RANK": "0", "PMI_SIZE": "4"}, {"PMI_RANK": "2", "PMI_SIZE": "4"}, {"SLURM_NPROCS": "4", "SLURM_PROCID": "0"},
            {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0"},
            {"PMIX_NAMESPACE": "gone", "PMIX_RANK": "0", "PMIX_SERVER_URI2": "gone.0;tcp4://127.0.0.1:9"}):
    ran = run([program], env=env, timeout=30)
    silent = ran.code == 0 and not ran.err.strip()
    expect(not silent, ran, f"silently one rank with {env}")
    expect(len(ran.err.strip().splitlines()) <= 4, ran, "a clear word, not a page")
for launcher in ("mpirun.mpich", "mpiexec.hydra"):
    if shutil.which(launcher):
        ran = run([launcher, "-n", "2", program], timeout=60)
        expect(not (ran.code == 0 and not ran.err.strip()), ran, f"silent under {launcher}")
