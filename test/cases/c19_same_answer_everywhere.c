// SPDX-License-Identifier: BSD-3-Clause
// Case C19: a floating-point reduction is equal to the last bit on all ranks, and equal again when it is repeated.
// run: np=2,3,4,5,6,7,8,9 timeout=180
// run: np=3,5 timeout=180 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <math.h>

#include "../support/check.h"

enum { repeats = 20 };

static void fill(float* values, int count, int product, unsigned seed) {
  for (int i = 0; i < count; i++) {
    const uint64_t bits = mix(seed * 1000003u + (unsigned)i + 1);
    const double unit = (double)(bits >> 11) / 9007199254740992.0;
    values[i] = (float)(product ? 0.5 + unit : ldexp(unit - 0.5, (int)(bits % 40) - 20));
  }
}

static void check_equal(const float* mine, int count, const char* what) {
  const size_t bytes = sizeof(float) * (size_t)count;
  char* all = world_rank == 0 ? must_alloc(bytes * (size_t)world_size) : NULL;
  MPI_Gather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  for (int r = 1; r < world_size && world_rank == 0; r++)
    CHECK(memcmp(all, all + bytes * (size_t)r, bytes) == 0, "%s of %d floats: ranks 0 and %d differ", what, count, r);
  free(all);
}

static void allreduce(int count, MPI_Op op, int product) {
  float *mine = must_alloc(sizeof(float) * (size_t)count), *first = must_alloc(sizeof(float) * (size_t)count);
  float* again = must_alloc(sizeof(float) * (size_t)count);
  fill(mine, count, product, (unsigned)world_rank);
  MPI_Allreduce(mine, first, count, MPI_FLOAT, op, MPI_COMM_WORLD);
  check_equal(first, count, product ? "product" : "sum");
  for (int k = 0; k < repeats; k++) {
    MPI_Allreduce(mine, again, count, MPI_FLOAT, op, MPI_COMM_WORLD);
    CHECK(memcmp(first, again, sizeof(float) * (size_t)count) == 0, "repeat %d of %d floats differs", k, count);
  }
  free(mine);
  free(first);
  free(again);
}

static void scatter_and_gather(int count) {
  const size_t total = (size_t)count * (size_t)world_size;
  float *mine = must_alloc(sizeof(float) * total), *first = must_alloc(sizeof(float) * total);
  float *all = must_alloc(sizeof(float) * total), *part = must_alloc(sizeof(float) * (size_t)count);
  fill(mine, (int)total, 0, (unsigned)world_rank + 77);
  for (int k = 0; k < repeats; k++) {
    MPI_Reduce_scatter_block(mine, part, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allgather(part, count, MPI_FLOAT, all, count, MPI_FLOAT, MPI_COMM_WORLD);
    if (k == 0) memcpy(first, all, sizeof(float) * total);
    CHECK(memcmp(first, all, sizeof(float) * total) == 0, "repeat %d of reduce-scatter and all-gather differs", k);
  }
  check_equal(all, (int)total, "reduce-scatter and all-gather");
  free(mine);
  free(first);
  free(all);
  free(part);
}

int main(int argc, char** argv) {
  const int counts[] = {1, 2, 3, 7, 64, 1000, 4097, 30000, 100000};
  check_start(&argc, &argv);
  for (int k = 0; k < 9; k++) {
    allreduce(counts[k], MPI_SUM, 0);
    allreduce(counts[k], MPI_PROD, 1);
    if (counts[k] <= 30000) scatter_and_gather(counts[k]);
  }
  return check_finish();
}
