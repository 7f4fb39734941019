// SPDX-License-Identifier: BSD-3-Clause
// Case P02: a large message that no one receives yet must not hold up small ones behind it.
// run: np=2 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,ofi
#include "../support/check.h"

static void exchange(int big_bytes) {
  MPI_Request requests[3];
  char* big = must_alloc((size_t)big_bytes);
  if (world_rank == 0) {
    const double first = 1.5, last = 2.5;
    fill_pattern(big, (size_t)big_bytes, 7);
    MPI_Isend(&first, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(big, big_bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&last, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  } else {
    double a = 0, b = 0;
    MPI_Irecv(&a, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&b, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(a == 1.5 && b == 2.5, "%g %g", a, b);
    MPI_Recv(big, big_bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_PATTERN(big, (size_t)big_bytes, 7);
  }
  free(big);
}

int main(int argc, char** argv) {
  const int sizes[] = {8192, 65536, 1 << 20, 16 << 20};
  check_start(&argc, &argv);
  for (int i = 0; i < 4; i++) exchange(sizes[i]);
  return check_finish();
}
