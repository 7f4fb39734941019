// SPDX-License-Identifier: BSD-3-Clause
// Case P12: a subarray of a matrix, sent to oneself, arrives as its elements in order.
// run: np=1,2 timeout=60
#include "../support/check.h"

int main(int argc, char** argv) {
  double matrix[4][8], got[8];
  const double right[8] = {104, 105, 106, 107, 204, 205, 206, 207};
  const int sizes[2] = {4, 8}, parts[2] = {2, 4}, starts[2] = {1, 4};
  MPI_Datatype part;
  check_start(&argc, &argv);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 8; j++) matrix[i][j] = 100 * i + j;
  memset(got, 0, sizeof got);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &part);
  MPI_Type_commit(&part);
  MPI_Sendrecv(matrix, 1, part, 0, 0, got, 8, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  for (int i = 0; i < 8; i++) CHECK(got[i] == right[i], "element %d is %g, expected %g", i, got[i], right[i]);
  MPI_Type_free(&part);
  return check_finish();
}
