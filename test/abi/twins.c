// SPDX-License-Identifier: BSD-3-Clause
// Three names for one function: a replaced MPI_Comm_size, PMPI_Comm_size, and the private twin that nobody replaces.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int plain = 0, profiling = 0, twin = 0;
  int (*private_twin)(MPI_Comm, int *);
  MPI_Init(&argc, &argv);
  *(void **)&private_twin = dlvsym(RTLD_DEFAULT, "OLMPI_Comm_size", "OMPI_LITE_PRIVATE");
  if (private_twin == NULL) {
    puts("no OLMPI_Comm_size in version OMPI_LITE_PRIVATE");
    return 2;
  }
  MPI_Comm_size(MPI_COMM_WORLD, &plain);
  PMPI_Comm_size(MPI_COMM_WORLD, &profiling);
  private_twin(MPI_COMM_WORLD, &twin);
  MPI_Finalize();
  printf("%d %d %d\n", plain, profiling, twin);
  return 0;
}
