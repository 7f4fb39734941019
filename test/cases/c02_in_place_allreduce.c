// SPDX-License-Identifier: BSD-3-Clause
// Case C02: an in-place sum over all ranks, by every algorithm: n = 4 gives 6 and 1.83333.
// run: np=1,2,3,4,5,7,8 timeout=60
// run: np=2,3,5 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <math.h>

#include "../support/check.h"
#include "../support/forms.h"

static void sum_in_place(int form, double* values, int count) {
  MPI_Request request;
  if (form == blocking_form) MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (form == nonblocking_form) MPI_Iallreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  if (form == persistent_form)
    MPI_Allreduce_init(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  end_form(form, &request);
}

int main(int argc, char** argv) {
  double harmonic = 0;
  check_start(&argc, &argv);
  for (int r = 1; r < world_size; r++) harmonic += 1.0 / r;
  for (int repeat = 0; repeat < 50; repeat++) {
    double values[2] = {world_rank, world_rank ? 1.0 / world_rank : 0.0};
    sum_in_place(repeat % all_forms, values, 2);
    CHECK(values[0] == world_size * (world_size - 1) / 2, "sum of ranks %g", values[0]);
    CHECK(fabs(values[1] - harmonic) < 1e-12, "harmonic sum %.15g, expected %.15g", values[1], harmonic);
  }
  for (int count = 1; count <= 300000; count = count * 3 + 1) {  // the same through all sizes
    double* values = must_alloc(sizeof(double) * (size_t)count);
    for (int form = 0; form < all_forms; form++) {
      for (int i = 0; i < count; i++) values[i] = world_rank * (double)(i % 1000) + 1;
      sum_in_place(form, values, count);
      for (int i = 0; i < count; i++) {
        const double right = world_size * (world_size - 1) / 2 * (double)(i % 1000) + world_size;
        CHECK(values[i] == right, "form %d count %d element %d: %g, expected %g", form, count, i, values[i], right);
      }
    }
    free(values);
  }
  return check_finish();
}
