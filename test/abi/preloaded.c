// SPDX-License-Identifier: BSD-3-Clause
// A tool that is preloaded in front of the library: doubles what MPI_Comm_size says, so that the program can see it is there.
#include <mpi.h>

int MPI_Comm_size(MPI_Comm comm, int *size) {
  const int code = PMPI_Comm_size(comm, size);
  *size *= 2;
  return code;
}
