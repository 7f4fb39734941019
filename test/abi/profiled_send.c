// SPDX-License-Identifier: BSD-3-Clause
// A program that replaces MPI_Send, as tools do, and reaches the library through PMPI_Send. Strict C99.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int sends;

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int main(int argc, char **argv) {
  int rank, size, got = -1, sum = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request);
  MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  PMPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* collectives of the library do not call our MPI_Send */
  MPI_Finalize();
  if (sends != 1 || got != (rank + size - 1) % size || sum != size * (size - 1) / 2 || status.MPI_TAG != 7) {
    printf("rank %d: %d sends, got %d, sum %d\n", rank, sends, got, sum);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
