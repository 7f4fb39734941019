// SPDX-License-Identifier: BSD-3-Clause
// Case C02: an in-place sum over all ranks, by every algorithm: n = 4 gives 6 and 1.83333.
// run: np=1,2,3,4,5,7,8 timeout=60
// run: np=2,3,5 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <math.h>

#include "../support/check.h"

int main(int argc, char** argv) {
  double harmonic = 0;
  check_start(&argc, &argv);
  for (int r = 1; r < world_size; r++) harmonic += 1.0 / r;
  for (int repeat = 0; repeat < 50; repeat++) {
    double values[2] = {world_rank, world_rank ? 1.0 / world_rank : 0.0};
    MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(values[0] == world_size * (world_size - 1) / 2, "sum of ranks %g", values[0]);
    CHECK(fabs(values[1] - harmonic) < 1e-12, "harmonic sum %.15g, expected %.15g", values[1], harmonic);
  }
  for (int count = 1; count <= 300000; count = count * 3 + 1) {  // the same through all sizes
    double* values = must_alloc(sizeof(double) * (size_t)count);
    for (int i = 0; i < count; i++) values[i] = world_rank * (double)(i % 1000) + 1;
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
      const double right = world_size * (world_size - 1) / 2 * (double)(i % 1000) + world_size;
      CHECK(values[i] == right, "count %d element %d: %g, expected %g", count, i, values[i], right);
    }
    free(values);
  }
  return check_finish();
}
