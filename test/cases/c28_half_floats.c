// SPDX-License-Identifier: BSD-3-Clause
// Case C28: a user operation that adds IEEE half values, held as two bytes each: 0.5 summed over 8 ranks is 4.0.
// run: np=1,2,3,4,5,7,8 timeout=60
// run: np=2,5 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <math.h>

#include "../support/check.h"

// Normal numbers and zero are enough here.
static double from_half(uint16_t h) {
  if ((h & 0x7fff) == 0) return 0;
  const double magnitude = ldexp(1.0 + (h & 0x3ff) / 1024.0, ((h >> 10) & 31) - 15);
  return h & 0x8000 ? -magnitude : magnitude;
}

static uint16_t to_half(double x) {
  int exponent = 0;
  if (x == 0) return 0;
  const double fraction = frexp(fabs(x), &exponent);  // in [0.5, 1)
  return (uint16_t)((x < 0 ? 0x8000 : 0) | ((exponent + 14) << 10) | (int)((2 * fraction - 1) * 1024));
}

static void add_halves(void* in, void* inout, int* count, MPI_Datatype* type) {
  uint16_t *a = in, *b = inout;
  (void)type;
  for (int i = 0; i < *count; i++) b[i] = to_half(from_half(a[i]) + from_half(b[i]));
}

int main(int argc, char** argv) {
  const int counts[] = {1, 5, 1000, 30000};
  MPI_Datatype half;
  MPI_Op add;
  check_start(&argc, &argv);
  CHECK(from_half(0x3800) == 0.5 && to_half(4.0) == 0x4400 && to_half(0.5) == 0x3800, "conversion");
  MPI_Type_contiguous(2, MPI_BYTE, &half);
  MPI_Type_commit(&half);
  MPI_Op_create(add_halves, 1, &add);
  for (int k = 0; k < 4; k++) {
    const int n = counts[k];
    uint16_t *in = must_alloc(2 * (size_t)n), *out = must_alloc(2 * (size_t)n);
    for (int i = 0; i < n; i++) in[i] = to_half(0.5);
    MPI_Allreduce(in, out, n, half, add, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
      CHECK(from_half(out[i]) == 0.5 * world_size, "element %d of %d: %g", i, n, from_half(out[i]));
    free(in);
    free(out);
  }
  MPI_Op_free(&add);
  MPI_Type_free(&half);
  return check_finish();
}
