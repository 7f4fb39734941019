// SPDX-License-Identifier: BSD-3-Clause
// Case C10: scatter where the other ranks pass send count 0 and a dummy buffer: every rank gets its block, whatever
// algorithm runs.
// run: np=1,2,3,4,5,6,7,8 timeout=60
// run: np=2,3,6 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

int main(int argc, char** argv) {
  const int counts[] = {1, 10, 1000, 100000};
  check_start(&argc, &argv);
  for (int k = 0; k < 4; k++)
    for (int root = 0; root < world_size; root++) {
      const int n = counts[k], here = world_rank == root;
      double dummy = -1, *block = must_alloc(sizeof(double) * (size_t)n), *all = NULL;
      if (here) {
        all = must_alloc(sizeof(double) * (size_t)n * (size_t)world_size);
        for (int i = 0; i < n * world_size; i++) all[i] = i + 0.5;
      }
      MPI_Scatter(here ? all : &dummy, here ? n : 0, MPI_DOUBLE, block, n, MPI_DOUBLE, root, MPI_COMM_WORLD);
      for (int i = 0; i < n; i++)
        CHECK(block[i] == world_rank * n + i + 0.5, "root %d count %d element %d: %g", root, n, i, block[i]);
      free(block);
      free(all);
    }
  return check_finish();
}
