// SPDX-License-Identifier: BSD-3-Clause
// Case C20: predefined operations on the types that were forgotten elsewhere; the pairs that are not allowed give
// MPI_ERR_OP.
// run: np=1,2,3,4,5,7,8 timeout=60
// run: np=2,3 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
// run: np=2,3 timeout=60 env=OMPI_LITE_TRANSPORTS=self,ofi
#include <complex.h>
#include <stdbool.h>

#include "../support/check.h"

static void small_integers(void) {
  int8_t mine = (int8_t)(world_rank == 0 ? -1 : -100 + world_rank), got = 0;
  MPI_Allreduce(&mine, &got, 1, MPI_INT8_T, MPI_MAX, MPI_COMM_WORLD);
  CHECK(got == -1, "MAX of INT8_T: %d", got);
  MPI_Allreduce(&mine, &got, 1, MPI_INT8_T, MPI_MIN, MPI_COMM_WORLD);
  CHECK(got == (world_size == 1 ? -1 : -99), "MIN of INT8_T: %d", got);
  uint8_t byte = (uint8_t)(200 + world_rank), most = 0;
  MPI_Allreduce(&byte, &most, 1, MPI_UINT8_T, MPI_MAX, MPI_COMM_WORLD);
  CHECK(most == 200 + world_size - 1, "MAX of UINT8_T: %d", most);
}

static void logicals(void) {
  bool in[3] = {true, world_rank != 0, world_rank == 0}, got[3];
  MPI_Allreduce(in, got, 3, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
  CHECK(got[0] && !got[1] && got[2] == (world_size == 1), "LAND: %d %d %d", got[0], got[1], got[2]);
  MPI_Allreduce(in, got, 3, MPI_C_BOOL, MPI_LOR, MPI_COMM_WORLD);
  CHECK(got[0] && got[1] == (world_size > 1) && got[2], "LOR: %d %d %d", got[0], got[1], got[2]);
}

static void complex_numbers(void) {
  const double n = world_size, sum = n * (n - 1) / 2;
  double complex a = world_rank + 2.0 * I, b = 0;
  float complex c = (float)world_rank - 1.0f * I, d = 0;
  MPI_Allreduce(&a, &b, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
  CHECK(creal(b) == sum && cimag(b) == 2 * n, "C_DOUBLE_COMPLEX: %g %g", creal(b), cimag(b));
  MPI_Allreduce(&c, &d, 1, MPI_C_FLOAT_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
  CHECK(crealf(d) == sum && cimagf(d) == -n, "C_FLOAT_COMPLEX: %g %g", crealf(d), cimagf(d));
  b = d = 0;
  MPI_Allreduce(&a, &b, 1, MPI_CXX_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
  CHECK(creal(b) == sum && cimag(b) == 2 * n, "CXX_DOUBLE_COMPLEX: %g %g", creal(b), cimag(b));
  MPI_Allreduce(&c, &d, 1, MPI_CXX_FLOAT_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
  CHECK(crealf(d) == sum && cimagf(d) == -n, "CXX_FLOAT_COMPLEX: %g %g", crealf(d), cimagf(d));
  a = I;
  MPI_Allreduce(&a, &b, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
  const double complex right[4] = {1, I, -1, -I};
  CHECK(b == right[world_size % 4], "PROD: %g %g", creal(b), cimag(b));
}

#define CHECK_LOC(type, c_type, value_of_rank, op, right_value, right_index)                                               \
  do {                                                                                                                     \
    struct {                                                                                                               \
      c_type value;                                                                                                        \
      int index;                                                                                                           \
    } in = {(c_type)(value_of_rank), world_rank}, out = {0, -1};                                                           \
    MPI_Allreduce(&in, &out, 1, type, op, MPI_COMM_WORLD);                                                                 \
    CHECK(out.value == (c_type)(right_value) && out.index == (right_index), #type " " #op ": %g at %d", (double)out.value, \
          out.index);                                                                                                      \
  } while (0)

static void pairs(void) {
  const int last = world_size - 1, tie = world_rank / 2;  // ranks 2k and 2k + 1 hold the same value: the lower index wins
  CHECK_LOC(MPI_DOUBLE_INT, double, tie, MPI_MAXLOC, last / 2, last / 2 * 2);
  CHECK_LOC(MPI_DOUBLE_INT, double, tie, MPI_MINLOC, 0, 0);
  CHECK_LOC(MPI_FLOAT_INT, float, -tie, MPI_MINLOC, -(last / 2), last / 2 * 2);
  CHECK_LOC(MPI_LONG_INT, long, tie, MPI_MAXLOC, last / 2, last / 2 * 2);
  CHECK_LOC(MPI_SHORT_INT, short, tie, MPI_MAXLOC, last / 2, last / 2 * 2);
  CHECK_LOC(MPI_2INT, int, -tie, MPI_MAXLOC, 0, 0);
  CHECK_LOC(MPI_LONG_DOUBLE_INT, long double, tie, MPI_MAXLOC, last / 2, last / 2 * 2);
}

static void not_allowed(void) {
  int in[4] = {1, 1, 1, 1}, out[4];
  MPI_Datatype two;
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_commit(&two);
  errors_return(MPI_COMM_WORLD);
#ifdef MPI_INTEGER  // a build without Fortran may lack the type
  if (MPI_INTEGER != MPI_DATATYPE_NULL)
#endif
    CHECK_CLASS(MPI_Allreduce(in, out, 1, MPI_INTEGER, MPI_LAND, MPI_COMM_WORLD), MPI_ERR_OP);
  CHECK_CLASS(MPI_Allreduce(in, out, 1, two, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
  CHECK_CLASS(MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD), MPI_ERR_OP);
  CHECK_CLASS(MPI_Allreduce(in, out, 1, MPI_INT, MPI_MAXLOC, MPI_COMM_WORLD), MPI_ERR_OP);
  MPI_Type_free(&two);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  small_integers();
  logicals();
  complex_numbers();
  pairs();
  not_allowed();
  return check_finish();
}
