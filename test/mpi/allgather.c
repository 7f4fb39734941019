// SPDX-License-Identifier: BSD-3-Clause
// MPI_Allgather and MPI_Allgatherv: every size, in place, gaps, unequal counts and places in any order.
// run: np=1,2,3,4,5,7,8 timeout=120
// run: np=2,3,5 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/comms.h"

static void equal(MPI_Comm comm) {
  for (int k = 0; k < count_of_counts; k++) {
    const int n = many_counts[k];
    int *mine = new_ints((size_t)n, -1), *all = new_ints((size_t)(n * size), -1);
    put_numbers(mine, rank, 0, n);
    MPI_Allgather(mine, n, MPI_INT, all, n, MPI_INT, comm);
    for (int r = 0; r < size; r++) check_numbers(all + r * n, r, 0, n, "allgather");
    check_untouched(&all[n * size], "allgather");
    memset(all, 0, sizeof(int) * (size_t)(n * size));
    put_numbers(all + rank * n, rank, 0, n);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, comm);
    for (int r = 0; r < size; r++) check_numbers(all + r * n, r, 0, n, "allgather in place");
    free(mine);
    free(all);
  }
}

static void with_gaps(MPI_Comm comm) {
  MPI_Datatype spread = spread_int();
  const int n = 700;
  int *mine = new_ints(n, -1), *all = new_ints((size_t)(3 * n * size), -1);
  put_numbers(mine, rank, 0, n);
  MPI_Allgather(mine, n, MPI_INT, all, n, spread, comm);
  for (int i = 0; i < n * size; i++) {
    CHECK(all[3 * i] == number(i / n, 0, i % n), "element %d: %d", i, all[3 * i]);
    CHECK(all[3 * i + 1] == -1 && all[3 * i + 2] == -1, "gap %d was written", i);
  }
  free(mine);
  free(all);
  MPI_Type_free(&spread);
}

static void unequal(MPI_Comm comm) {
  const int scales[] = {1, 50, 5000};
  for (int k = 0; k < 3; k++) {
    const int n = scales[k] * ((rank + 2) % 4);
    int counts[16], places[16], total = 1;
    for (int r = size - 1; r >= 0; r--) {
      counts[r] = scales[k] * ((r + 2) % 4);
      places[r] = total;
      total += counts[r] + 1;
    }
    int *mine = new_ints((size_t)n, -1), *all = new_ints((size_t)total, -1);
    put_numbers(mine, rank, 0, n);
    MPI_Allgatherv(mine, n, MPI_INT, all, counts, places, MPI_INT, comm);
    for (int r = 0; r < size; r++) {
      check_numbers(all + places[r], r, 0, counts[r], "allgatherv");
      check_untouched(&all[places[r] - 1], "allgatherv");
      check_untouched(&all[places[r] + counts[r]], "allgatherv");
      if (r != rank) memset(all + places[r], 0, sizeof(int) * (size_t)counts[r]);
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_INT, comm);
    for (int r = 0; r < size; r++) check_numbers(all + places[r], r, 0, counts[r], "allgatherv in place");
    free(mine);
    free(all);
  }
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  run_on_many(equal);
  run_on_many(with_gaps);
  run_on_many(unequal);
  return check_finish();
}
