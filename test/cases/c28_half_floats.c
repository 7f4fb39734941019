// SPDX-License-Identifier: BSD-3-Clause
// Case C28: 0.5 summed over 8 ranks is 4.0, by a user operation that adds IEEE half values, held as two bytes each, and by
// MPI_SUM on the extension types of 16 bits, with the same bits on every rank.
// run: np=1,2,3,4,5,7,8 timeout=60
// run: np=2,5 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <math.h>

#include "../support/check.h"
#include "../../ompi_lite/include/mpix.h"

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

// The sum of `value` (0.5) over all ranks, as one of the numbers k / 2 in `sums`, and bits that depend on no rank.
static void sum_native(MPI_Datatype type, const char* name, uint16_t value, const uint16_t sums[9]) {
  const int counts[] = {1, 5, 1000, 30000};
  char found[MPI_MAX_OBJECT_NAME];
  int size, length;
  MPI_Type_size(type, &size);
  MPI_Type_get_name(type, found, &length);
  CHECK(size == 2 && strcmp(found, name) == 0, "%s has %d bytes and is called %s", name, size, found);
  for (int k = 0; k < 4; k++) {
    const int n = counts[k];
    uint16_t *in = must_alloc(2 * (size_t)n), *out = must_alloc(2 * (size_t)n), *least = must_alloc(2 * (size_t)n);
    for (int i = 0; i < n; i++) in[i] = value;
    MPI_Allreduce(in, out, n, type, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) CHECK(out[i] == sums[world_size], "%s, element %d of %d: 0x%x", name, i, n, out[i]);
    for (int i = 0; i < n; i++) in[i] = (uint16_t)(value + 37 * world_rank + i % 97);  // sums that have to be rounded
    MPI_Allreduce(in, out, n, type, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(out, in, n, MPI_UINT16_T, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(out, least, n, MPI_UINT16_T, MPI_MIN, MPI_COMM_WORLD);
    CHECK(memcmp(in, least, 2 * (size_t)n) == 0, "%s, %d elements: other bits on other ranks", name, n);
    free(in);
    free(out);
    free(least);
  }
}

int main(int argc, char** argv) {
  const uint16_t halves[9] = {0, 0x3800, 0x3c00, 0x3e00, 0x4000, 0x4100, 0x4200, 0x4300, 0x4400};
  const uint16_t brains[9] = {0, 0x3f00, 0x3f80, 0x3fc0, 0x4000, 0x4020, 0x4040, 0x4060, 0x4080};
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
  sum_native(MPIX_FLOAT16, "MPIX_FLOAT16", 0x3800, halves);
  sum_native(MPIX_BFLOAT16, "MPIX_BFLOAT16", 0x3f00, brains);
  MPI_Op_free(&add);
  MPI_Type_free(&half);
  return check_finish();
}
