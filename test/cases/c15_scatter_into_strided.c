// SPDX-License-Identifier: BSD-3-Clause
// Case C15: columns of a matrix are scattered into a strided type: the right columns arrive and nothing else is written.
// run: np=1,2,3,4,5,7,8 timeout=60
// run: np=2,3,5 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

enum { rows = 4, own = 2, leading = 5 };  // each rank keeps its two columns in a local array with rows of five

static MPI_Datatype columns_of(int width, int count) {
  MPI_Datatype bare, resized;
  MPI_Type_vector(rows, count, width, MPI_DOUBLE, &bare);
  MPI_Type_create_resized(bare, 0, (MPI_Aint)sizeof(double) * count, &resized);
  MPI_Type_commit(&resized);
  MPI_Type_free(&bare);
  return resized;
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  const int width = own * world_size;
  MPI_Datatype two = columns_of(width, own), one_local = columns_of(leading, 1);
  for (int root = 0; root < world_size; root++) {
    double *matrix = NULL, local[rows * leading];
    for (int i = 0; i < rows * leading; i++) local[i] = -1;
    if (world_rank == root) {
      matrix = must_alloc(sizeof(double) * (size_t)(rows * width));
      for (int i = 0; i < rows; i++)
        for (int j = 0; j < width; j++) matrix[i * width + j] = 100 * i + j;
    }
    // The sender's two columns go row by row; the receiver takes the eight numbers column by column, one column an element.
    MPI_Scatter(matrix, 1, two, local + 1, own, one_local, root, MPI_COMM_WORLD);
    for (int k = 0; k < rows * own; k++) {
      const double right = 100 * (k / own) + own * world_rank + k % own;
      const double got = local[1 + (k % rows) * leading + k / rows];
      CHECK(got == right, "root %d, number %d: %g, expected %g", root, k, got, right);
    }
    for (int i = 0; i < rows * leading; i++) {
      const int column = i % leading;
      if (column == 1 || column == 2) continue;
      CHECK(local[i] == -1, "root %d: element %d outside the type was written", root, i);
    }
    free(matrix);
  }
  MPI_Type_free(&two);
  MPI_Type_free(&one_local);
  return check_finish();
}
