// SPDX-License-Identifier: BSD-3-Clause
// Case P15: a type whose extent is smaller than its true extent: elements of a send overlap, each is sent whole.
// run: np=1,2 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

int main(int argc, char** argv) {
  int values[9], got[16];
  MPI_Datatype eight, window;
  MPI_Aint lower, extent;
  check_start(&argc, &argv);
  for (int i = 0; i < 9; i++) values[i] = i;
  memset(got, 0, sizeof got);
  MPI_Type_contiguous(8, MPI_INT, &eight);
  MPI_Type_create_resized(eight, 0, sizeof(int), &window);
  MPI_Type_commit(&window);
  MPI_Type_get_true_extent(window, &lower, &extent);
  CHECK(lower == 0 && extent == 8 * (MPI_Aint)sizeof(int), "true extent %ld at %ld", (long)extent, (long)lower);
  const int to = (world_rank + 1) % world_size, from = (world_rank + world_size - 1) % world_size;
  MPI_Sendrecv(values, 2, window, to, 0, got, 16, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 16; i++) CHECK(got[i] == i % 8 + i / 8, "element %d is %d, expected %d", i, got[i], i % 8 + i / 8);
  MPI_Type_free(&eight);
  MPI_Type_free(&window);
  return check_finish();
}
