// SPDX-License-Identifier: BSD-3-Clause
// Every predefined operation on the types it is defined for, by MPI_Reduce_local and by MPI_Allreduce, at lengths around
// vector widths.
// run: np=1,2,3,4 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <stdbool.h>

#include "../support/check.h"

enum { longest = 133 };

static const int lengths[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 133};

// What rank r contributes at i: small numbers, whose products stay inside a byte for four ranks.
#define VALUE(r, i) ((((r)*5 + (i)*3) % 4) + ((i) % 7 == 0 ? 0 : 1))

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))
#define LAND(a, b) ((a) && (b))
#define LOR(a, b) ((a) || (b))
#define LXOR(a, b) (!(a) != !(b))
#define BAND(a, b) ((a) & (b))
#define BOR(a, b) ((a) | (b))
#define BXOR(a, b) ((a) ^ (b))

// Folds the ranks' values in rank order in the type itself, so that the expected result rounds and wraps as the type does.
// The operand on the
// left is the lower rank's: MPI_Reduce_local(in, inout) computes in op inout.
#define TEST(c_type, mpi_type, op)                                                                                      \
  do {                                                                                                                  \
    c_type mine[longest], got[longest], fold[longest];                                                                  \
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {                                                   \
      const int n = lengths[k];                                                                                         \
      for (int i = 0; i < n; i++) {                                                                                     \
        mine[i] = (c_type)VALUE(world_rank, i);                                                                         \
        fold[i] = (c_type)VALUE(0, i);                                                                                  \
        for (int r = 1; r < world_size; r++) fold[i] = (c_type)(op(fold[i], (c_type)VALUE(r, i)));                      \
      }                                                                                                                 \
      MPI_Allreduce(mine, got, n, mpi_type, MPI_##op, MPI_COMM_WORLD);                                                  \
      for (int i = 0; i < n; i++)                                                                                       \
        CHECK(got[i] == fold[i], #op " of " #mpi_type ", length %d, element %d: %g, expected %g", n, i, (double)got[i], \
              (double)fold[i]);                                                                                         \
      for (int i = 0; i < n; i++) got[i] = (c_type)VALUE(world_rank + 1, i);                                            \
      MPI_Reduce_local(mine, got, n, mpi_type, MPI_##op);                                                               \
      for (int i = 0; i < n; i++) {                                                                                     \
        const c_type right = (c_type)(op(mine[i], (c_type)VALUE(world_rank + 1, i)));                                   \
        CHECK(got[i] == right, "local " #op " of " #mpi_type ", length %d, element %d: %g, expected %g", n, i,          \
              (double)got[i], (double)right);                                                                           \
      }                                                                                                                 \
    }                                                                                                                   \
  } while (0)

#define ARITHMETIC(c_type, mpi_type) \
  do {                               \
    TEST(c_type, mpi_type, MAX);     \
    TEST(c_type, mpi_type, MIN);     \
    TEST(c_type, mpi_type, SUM);     \
    TEST(c_type, mpi_type, PROD);    \
  } while (0)

#define LOGICAL(c_type, mpi_type) \
  do {                            \
    TEST(c_type, mpi_type, LAND); \
    TEST(c_type, mpi_type, LOR);  \
    TEST(c_type, mpi_type, LXOR); \
  } while (0)

#define BITWISE(c_type, mpi_type) \
  do {                            \
    TEST(c_type, mpi_type, BAND); \
    TEST(c_type, mpi_type, BOR);  \
    TEST(c_type, mpi_type, BXOR); \
  } while (0)

#define WHOLE(c_type, mpi_type)   \
  do {                            \
    ARITHMETIC(c_type, mpi_type); \
    LOGICAL(c_type, mpi_type);    \
    BITWISE(c_type, mpi_type);    \
  } while (0)

static void small_integers(void) {
  WHOLE(signed char, MPI_SIGNED_CHAR);
  WHOLE(unsigned char, MPI_UNSIGNED_CHAR);
  WHOLE(short, MPI_SHORT);
  WHOLE(unsigned short, MPI_UNSIGNED_SHORT);
  WHOLE(int8_t, MPI_INT8_T);
  WHOLE(uint8_t, MPI_UINT8_T);
  WHOLE(int16_t, MPI_INT16_T);
  WHOLE(uint16_t, MPI_UINT16_T);
}

static void integers(void) {
  WHOLE(int, MPI_INT);
  WHOLE(unsigned, MPI_UNSIGNED);
  WHOLE(long, MPI_LONG);
  WHOLE(unsigned long, MPI_UNSIGNED_LONG);
  WHOLE(int32_t, MPI_INT32_T);
  WHOLE(uint32_t, MPI_UINT32_T);
}

static void wide_integers(void) {
  WHOLE(long long, MPI_LONG_LONG);
  WHOLE(unsigned long long, MPI_UNSIGNED_LONG_LONG);
  WHOLE(int64_t, MPI_INT64_T);
  WHOLE(uint64_t, MPI_UINT64_T);
  ARITHMETIC(MPI_Aint, MPI_AINT);
  ARITHMETIC(MPI_Count, MPI_COUNT);
  ARITHMETIC(MPI_Offset, MPI_OFFSET);
}

static void others(void) {
  ARITHMETIC(float, MPI_FLOAT);
  ARITHMETIC(double, MPI_DOUBLE);
  ARITHMETIC(long double, MPI_LONG_DOUBLE);
  LOGICAL(bool, MPI_C_BOOL);
  BITWISE(unsigned char, MPI_BYTE);
}

struct Found {
  double value;
  int index;
};

// The extreme value and the lowest index that has it; MPI_DOUBLE_INT has the layout of the struct.
static void places_of_extremes(void) {
  for (int n = 1; n < 40; n++) {
    struct Found mine[40], most[40], least[40];
    for (int i = 0; i < n; i++) mine[i] = (struct Found){(world_rank / 2 + i) % 3, world_rank};
    MPI_Allreduce(mine, most, n, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    MPI_Allreduce(mine, least, n, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
      struct Found up = {-1, -1}, down = {9, -1};
      for (int r = 0; r < world_size; r++) {
        const double v = (r / 2 + i) % 3;
        if (v > up.value) up = (struct Found){v, r};
        if (v < down.value) down = (struct Found){v, r};
      }
      CHECK(most[i].value == up.value && most[i].index == up.index, "MAXLOC %d of %d: %g at %d", i, n, most[i].value,
            most[i].index);
      CHECK(least[i].value == down.value && least[i].index == down.index, "MINLOC %d of %d: %g at %d", i, n, least[i].value,
            least[i].index);
    }
  }
}

static void properties(void) {
  const MPI_Op all[] = {MPI_MAX, MPI_MIN, MPI_SUM,  MPI_PROD, MPI_LAND,  MPI_BAND,
                        MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MAXLOC};
  int commutes = -1;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    MPI_Op_commutative(all[i], &commutes);
    CHECK(commutes == 1, "operation %zu: %d", i, commutes);
  }
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  CHECK(world_size <= 4, "the values suit at most four ranks");
  small_integers();
  integers();
  wide_integers();
  others();
  places_of_extremes();
  properties();
  return check_finish();
}
