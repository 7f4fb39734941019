// SPDX-License-Identifier: BSD-3-Clause
// The smallest C++ program that would notice a wrong library: the ranks add their numbers.
#include <mpi.h>

#include <iostream>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::cout << "sum of " << ranks << " ranks: " << sum << std::endl;
  MPI_Finalize();
  return ranks == 3 && sum == 3 ? 0 : 1;
}
