// SPDX-License-Identifier: BSD-3-Clause
// The same in C, for the C half of what build tools find.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = 0, ranks = 0, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("sum of %d ranks: %d\n", ranks, sum);
  MPI_Finalize();
  return ranks == 3 && sum == 3 ? 0 : 1;
}
