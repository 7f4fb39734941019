// SPDX-License-Identifier: BSD-3-Clause
// MPI_Scatter and MPI_Scatterv: every root and size, in place, gaps on one side, unequal counts and places in any order.
// run: np=1,2,3,4,5,7,8 timeout=120
// run: np=2,3,5 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/comms.h"

static void equal(MPI_Comm comm) {
  for (int k = 0; k < count_of_counts; k++)
    for (int root = 0; root < size; root++) {
      const int n = many_counts[k], here = rank == root;
      int *mine = new_ints((size_t)n, -1), *all = here ? new_ints((size_t)(n * size), -1) : NULL;
      for (int r = 0; r < size && here; r++) put_numbers(all + r * n, root, r, n);
      MPI_Scatter(all, n, MPI_INT, mine, n, MPI_INT, root, comm);
      check_numbers(mine, root, rank, n, "scatter");
      check_untouched(&mine[n], "scatter");
      memset(mine, 0, sizeof(int) * (size_t)n);
      MPI_Scatter(all, n, MPI_INT, here ? MPI_IN_PLACE : mine, n, MPI_INT, root, comm);
      check_numbers(here ? all + rank * n : mine, root, rank, n, "scatter in place");
      free(mine);
      free(all);
    }
}

static void with_gaps(MPI_Comm comm) {
  MPI_Datatype spread = spread_int();
  const int n = 500, root = size / 2, here = rank == root, step = rank % 2 ? 3 : 1;
  int *mine = new_ints(3 * n, -1), *all = here ? new_ints((size_t)(3 * n * size), -1) : NULL;
  for (int i = 0; i < n * size && here; i++) all[3 * i] = number(root, i / n, i % n);
  MPI_Scatter(all, n, spread, mine, n, rank % 2 ? spread : MPI_INT, root, comm);
  for (int i = 0; i < n; i++) CHECK(mine[step * i] == number(root, rank, i), "element %d: %d", i, mine[step * i]);
  for (int i = 0; i < n && step == 3; i++) CHECK(mine[3 * i + 1] == -1 && mine[3 * i + 2] == -1, "gap %d was written", i);
  free(mine);
  free(all);
  MPI_Type_free(&spread);
}

static void unequal(MPI_Comm comm) {
  const int scales[] = {1, 50, 5000};
  for (int k = 0; k < 3; k++)
    for (int root = 0; root < size; root++) {
      const int here = rank == root, n = scales[k] * ((rank + 2) % 4);
      int counts[16], places[16], total = 0;
      for (int r = size - 1; r >= 0; r--) {
        counts[r] = scales[k] * ((r + 2) % 4);
        places[r] = total;
        total += counts[r];
      }
      int *mine = new_ints((size_t)n, -1), *all = here ? new_ints((size_t)total, -1) : NULL;
      for (int r = 0; r < size && here; r++) put_numbers(all + places[r], root, r, counts[r]);
      MPI_Scatterv(all, here ? counts : NULL, here ? places : NULL, MPI_INT, mine, n, MPI_INT, root, comm);
      check_numbers(mine, root, rank, n, "scatterv");
      check_untouched(&mine[n], "scatterv");
      memset(mine, 0, sizeof(int) * (size_t)n);
      MPI_Scatterv(all, counts, places, MPI_INT, here ? MPI_IN_PLACE : mine, n, MPI_INT, root, comm);
      check_numbers(here ? all + places[rank] : mine, root, rank, n, "scatterv in place");
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
