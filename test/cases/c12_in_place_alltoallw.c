// SPDX-License-Identifier: BSD-3-Clause
// Case C12: all-to-all in place with a type or a count per peer.
// run: np=1,2,3,4,5,7,8 timeout=60
// run: np=2,3,5 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

static void one_element_each(void) {
  int counts[16], places[16];
  MPI_Datatype types[16];
  double values[16];
  for (int r = 0; r < world_size; r++) {
    const int length = 1, at = r;
    counts[r] = 1;
    places[r] = 0;
    values[r] = world_rank;
    MPI_Type_indexed(1, &length, &at, MPI_DOUBLE, &types[r]);
    MPI_Type_commit(&types[r]);
  }
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, values, counts, places, types, MPI_COMM_WORLD);
  for (int r = 0; r < world_size; r++) CHECK(values[r] == r, "element %d is %g", r, values[r]);
  for (int r = 0; r < world_size; r++) MPI_Type_free(&types[r]);
}

// Peer p sends scale * (p + r + 1) copies of p to rank r.
static void growing_blocks(int use_w, int scale) {
  int counts[16], places[16], bytes[16], total = 0;
  MPI_Datatype types[16];
  for (int p = 0; p < world_size; p++) {
    counts[p] = scale * (p + world_rank + 1);
    places[p] = total;
    bytes[p] = total * (int)sizeof(int);
    types[p] = MPI_INT;
    total += counts[p];
  }
  int* values = must_alloc(sizeof(int) * (size_t)total);
  for (int i = 0; i < total; i++) values[i] = world_rank;
  if (use_w) {
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, values, counts, bytes, types, MPI_COMM_WORLD);
  } else {
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, values, counts, places, MPI_INT, MPI_COMM_WORLD);
  }
  for (int p = 0, i = 0; p < world_size; p++)
    for (int k = 0; k < counts[p]; k++, i++) CHECK(values[i] == p, "element %d is %d, expected %d", i, values[i], p);
  free(values);
}

int main(int argc, char** argv) {
  const int scales[] = {1, 3, 500, 20000};
  check_start(&argc, &argv);
  one_element_each();
  for (int k = 0; k < 4; k++) {
    growing_blocks(0, scales[k]);
    growing_blocks(1, scales[k]);
  }
  return check_finish();
}
