// SPDX-License-Identifier: BSD-3-Clause
// Packing and unpacking, also into messages; large strided data that go in pieces; the canonical form "external32".
// run: np=1,2,3 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

static int left, right;

static void mixed_message(void) {
  char buffer[1000], back[1000];
  int position = 0, size = -1, number = world_rank, values[6] = {0, 1, 2, 3, 4, 5};
  double real = world_rank + 0.5;
  MPI_Datatype every_second;
  MPI_Type_vector(3, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Pack_size(1, every_second, MPI_COMM_WORLD, &size);
  CHECK(size >= 12, "pack size %d", size);
  MPI_Pack(&number, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  MPI_Pack(&real, 1, MPI_DOUBLE, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  MPI_Pack(values, 1, every_second, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  MPI_Status status;
  int got = -1;
  MPI_Sendrecv(buffer, position, MPI_PACKED, right, 1, back, sizeof back, MPI_PACKED, left, 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_PACKED, &got);
  CHECK(got == position, "%d bytes packed, %d came", position, got);
  int at = 0, even[3] = {-1, -1, -1};
  MPI_Unpack(back, got, &at, &number, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(back, got, &at, &real, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Unpack(back, got, &at, even, 3, MPI_INT, MPI_COMM_WORLD);
  CHECK(at == got && number == left && real == left + 0.5, "position %d number %d real %g", at, number, real);
  for (int i = 0; i < 3; i++) CHECK(even[i] == 2 * i, "value %d: %d", i, even[i]);

  // What was sent as packed may be received as what it holds.
  position = 0;
  MPI_Pack(values, 6, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  int plain[6] = {0};
  MPI_Sendrecv(buffer, position, MPI_PACKED, right, 2, plain, 6, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 6; i++) CHECK(plain[i] == i, "value %d: %d", i, plain[i]);
  MPI_Type_free(&every_second);
}

// A column block of a large matrix, so large that every transport sends it in pieces.
static void large_strided(int rows, int columns, int leading) {
  const size_t count = (size_t)rows * (size_t)leading;
  double *out = must_alloc(sizeof(double) * count), *in = must_alloc(sizeof(double) * count);
  MPI_Datatype part;
  MPI_Type_vector(rows, columns, leading, MPI_DOUBLE, &part);
  MPI_Type_commit(&part);
  for (size_t i = 0; i < count; i++) out[i] = (double)i + world_rank, in[i] = -1;
  MPI_Sendrecv(out, 1, part, right, 3, in, 1, part, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (size_t i = 0; i + (size_t)(leading - columns) < count; i++) {
    const double expected = (int)(i % (size_t)leading) < columns ? (double)i + left : -1;
    CHECK(in[i] == expected, "%d x %d: element %zu is %g, expected %g", rows, columns, i, in[i], expected);
  }
  // Strided on one side, dense on the other.
  double* dense = must_alloc(sizeof(double) * (size_t)rows * (size_t)columns);
  MPI_Sendrecv(out, 1, part, right, 4, dense, rows * columns, MPI_DOUBLE, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      const double got = dense[r * columns + c], expected = (double)r * leading + c + left;
      CHECK(got == expected, "row %d column %d: %g, expected %g", r, c, got, expected);
    }
  MPI_Type_free(&part);
  free(out);
  free(in);
  free(dense);
}

static void external(void) {
  const int values[2] = {1, -2};
  const double real = 1.0;
  unsigned char buffer[16];
  MPI_Aint size = -1, position = 0;
  MPI_Pack_external_size("external32", 2, MPI_INT, &size);
  CHECK(size == 8, "size %ld", (long)size);
  MPI_Pack_external("external32", values, 2, MPI_INT, buffer, sizeof buffer, &position);
  MPI_Pack_external("external32", &real, 1, MPI_DOUBLE, buffer, sizeof buffer, &position);
  const unsigned char right_bytes[16] = {0, 0, 0, 1, 0xff, 0xff, 0xff, 0xfe, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0};
  CHECK(position == 16 && memcmp(buffer, right_bytes, 16) == 0, "position %ld, first bytes %02x %02x %02x %02x",
        (long)position, buffer[0], buffer[1], buffer[2], buffer[3]);
  int back[2] = {0, 0};
  position = 0;
  MPI_Unpack_external("external32", buffer, sizeof buffer, &position, back, 2, MPI_INT);
  CHECK(back[0] == 1 && back[1] == -2 && position == 8, "%d %d", back[0], back[1]);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  right = (world_rank + 1) % world_size;
  left = (world_rank + world_size - 1) % world_size;
  mixed_message();
  large_strided(10, 3, 7);
  large_strided(1000, 5, 17);
  large_strided(3000, 100, 211);
  large_strided(100000, 1, 3);
  external();
  return check_finish();
}
