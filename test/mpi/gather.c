// SPDX-License-Identifier: BSD-3-Clause
// MPI_Gather and MPI_Gatherv: every root and size, in place, gaps on one side, unequal counts and places in any order.
// run: np=1,2,3,4,5,7,8 timeout=120
// run: np=2,3,5 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/comms.h"

static void equal(MPI_Comm comm) {
  for (int k = 0; k < count_of_counts; k++)
    for (int root = 0; root < size; root++) {
      const int n = many_counts[k], here = rank == root;
      int *mine = new_ints((size_t)n, -1), *all = here ? new_ints((size_t)(n * size), -1) : NULL;
      put_numbers(mine, rank, root, n);
      MPI_Gather(mine, n, MPI_INT, all, n, MPI_INT, root, comm);
      for (int r = 0; r < size && here; r++) check_numbers(all + r * n, r, root, n, "gather");
      if (here) {
        check_untouched(&all[n * size], "gather");
        memset(all, 0, sizeof(int) * (size_t)(n * size));
        put_numbers(all + rank * n, rank, root, n);
      }
      MPI_Gather(here ? MPI_IN_PLACE : mine, n, MPI_INT, all, n, MPI_INT, root, comm);
      for (int r = 0; r < size && here; r++) check_numbers(all + r * n, r, root, n, "gather in place");
      free(mine);
      free(all);
    }
}

static void with_gaps(MPI_Comm comm) {
  MPI_Datatype spread = spread_int();
  const int n = 500, root = size - 1, here = rank == root;
  int *mine = new_ints(3 * n, -1), *all = here ? new_ints((size_t)(3 * n * size), -1) : NULL;
  for (int i = 0; i < n; i++) mine[rank % 2 ? 3 * i : i] = number(rank, 0, i);
  MPI_Gather(mine, n, rank % 2 ? spread : MPI_INT, all, n, spread, root, comm);
  for (int i = 0; i < n * size && here; i++) {
    CHECK(all[3 * i] == number(i / n, 0, i % n), "element %d: %d", i, all[3 * i]);
    CHECK(all[3 * i + 1] == -1 && all[3 * i + 2] == -1, "gap %d was written", i);
  }
  free(mine);
  free(all);
  MPI_Type_free(&spread);
}

static void unequal(MPI_Comm comm) {
  const int scales[] = {1, 50, 5000};
  for (int k = 0; k < 3; k++)
    for (int root = 0; root < size; root++) {
      const int here = rank == root, n = scales[k] * ((rank + 2) % 4);
      int counts[16], places[16], total = 1;
      for (int r = size - 1; r >= 0; r--) {  // the last rank's block comes first, a cell is left free between blocks
        counts[r] = scales[k] * ((r + 2) % 4);
        places[r] = total;
        total += counts[r] + 1;
      }
      int *mine = new_ints((size_t)n, -1), *all = here ? new_ints((size_t)total, -1) : NULL;
      put_numbers(mine, rank, root, n);
      MPI_Gatherv(mine, n, MPI_INT, all, here ? counts : NULL, here ? places : NULL, MPI_INT, root, comm);
      for (int r = 0; r < size && here; r++) {
        check_numbers(all + places[r], r, root, counts[r], "gatherv");
        check_untouched(&all[places[r] - 1], "gatherv");
        check_untouched(&all[places[r] + counts[r]], "gatherv");
        if (r != rank) memset(all + places[r], 0, sizeof(int) * (size_t)counts[r]);
      }
      MPI_Gatherv(here ? MPI_IN_PLACE : mine, n, MPI_INT, all, counts, places, MPI_INT, root, comm);
      for (int r = 0; r < size && here; r++) check_numbers(all + places[r], r, root, counts[r], "gatherv in place");
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
