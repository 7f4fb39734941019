// SPDX-License-Identifier: BSD-3-Clause
// Case C13: broadcast with the same signature and different types on root and others.
// run: np=1,2,3,4,5,7,8 timeout=120
// run: np=2,3,5 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

static int64_t value(int i) { return (int64_t)i * 3 + 1000000007; }

// The root's elements are dense, those of the others lie 16 bytes apart.
static void into_gaps(int n, int root) {
  const size_t stride = world_rank == root ? 1 : 2;
  int64_t* data = must_alloc(16 * (size_t)n);
  MPI_Datatype spread;
  MPI_Type_create_resized(MPI_INT64_T, 0, 16, &spread);
  MPI_Type_commit(&spread);
  for (int i = 0; i < 2 * n; i++) data[i] = -1;
  for (int i = 0; i < n && world_rank == root; i++) data[i] = value(i);
  MPI_Bcast(data, n, world_rank == root ? MPI_INT64_T : spread, root, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) CHECK(data[stride * (size_t)i] == value(i), "%d elements, root %d, element %d", n, root, i);
  for (int i = 0; i < n && world_rank != root; i++) CHECK(data[2 * i + 1] == -1, "gap %d was written", i);
  MPI_Type_free(&spread);
  free(data);
}

static void one_big_element(int n, int root) {
  int* data = must_alloc(sizeof(int) * (size_t)n);
  MPI_Datatype whole;
  MPI_Type_contiguous(n, MPI_INT, &whole);
  MPI_Type_commit(&whole);
  for (int i = 0; i < n; i++) data[i] = world_rank == root ? 7 * i : -1;
  MPI_Bcast(data, world_rank == root ? 1 : n, world_rank == root ? whole : MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < n; i++) CHECK(data[i] == 7 * i, "%d ints, root %d, element %d is %d", n, root, i, data[i]);
  MPI_Type_free(&whole);
  free(data);
}

// A matrix part with a leading dimension on some ranks, dense on the others.
static void matrix_part(int rows, int columns, int root) {
  const int strided = (world_rank + root) % 2 == 0, leading = strided ? columns + 5 : columns;
  double* data = must_alloc(sizeof(double) * (size_t)rows * (size_t)leading);
  MPI_Datatype part;
  MPI_Type_vector(rows, columns, leading, MPI_DOUBLE, &part);
  MPI_Type_commit(&part);
  for (int i = 0; i < rows * leading; i++) data[i] = -1;
  for (int i = 0; i < rows && world_rank == root; i++)
    for (int j = 0; j < columns; j++) data[i * leading + j] = i * 1000 + j;
  MPI_Bcast(data, 1, part, root, MPI_COMM_WORLD);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < (i + 1 < rows ? leading : columns); j++)
      CHECK(data[i * leading + j] == (j < columns ? i * 1000 + j : -1), "row %d column %d: %g", i, j, data[i * leading + j]);
  MPI_Type_free(&part);
  free(data);
}

int main(int argc, char** argv) {
  const int counts[] = {6, 100, 1000, 10000, 100000, 1000000};
  check_start(&argc, &argv);
  for (int root = 0; root < world_size; root++) {
    for (int k = 0; k < (root < 2 ? 6 : 4); k++) {
      into_gaps(counts[k], root);
      one_big_element(counts[k], root);
    }
    matrix_part(3, 4, root);
    matrix_part(200, 300, root);
  }
  return check_finish();
}
