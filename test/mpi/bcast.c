// SPDX-License-Identifier: BSD-3-Clause
// MPI_Bcast: every root, every size, different types of one signature.
// run: np=1,2,3,4,5,7,8 timeout=120
// run: np=2,3,5 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/comms.h"

static void every_size(MPI_Comm comm) {
  for (int k = 0; k < count_of_counts; k++)
    for (int root = 0; root < size; root++) {
      const int n = many_counts[k];
      int* data = new_ints((size_t)n, -1);
      if (rank == root) put_numbers(data, root, 0, n);
      MPI_Bcast(data, n, MPI_INT, root, comm);
      check_numbers(data, root, 0, n, "bcast");
      check_untouched(&data[n], "bcast");
      free(data);
    }
}

static void with_gaps(MPI_Comm comm) {
  MPI_Datatype spread = spread_int();
  for (int k = 0; k < count_of_counts; k++) {
    const int n = many_counts[k], root = k % size, gaps = rank % 2;
    int* data = new_ints(3 * (size_t)n, -1);
    for (int i = 0; i < n && rank == root; i++) data[gaps ? 3 * i : i] = number(root, 1, i);
    MPI_Bcast(data, n, gaps ? spread : MPI_INT, root, comm);
    for (int i = 0; i < n; i++) CHECK(data[gaps ? 3 * i : i] == number(root, 1, i), "count %d element %d", n, i);
    for (int i = 0; i < n && gaps; i++)
      CHECK(data[3 * i + 1] == -1 && data[3 * i + 2] == -1, "count %d: gap %d was written", n, i);
    free(data);
  }
  MPI_Type_free(&spread);
}

// One root sends many: no rank may mistake one broadcast for the next.
static void many_in_a_row(MPI_Comm comm) {
  for (int i = 0; i < 3000; i++) {
    int value = rank == 0 ? i : -1;
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    CHECK(value == i, "broadcast %d brought %d", i, value);
  }
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  run_on_many(every_size);
  run_on_many(with_gaps);
  run_on_many(many_in_a_row);
  return check_finish();
}
