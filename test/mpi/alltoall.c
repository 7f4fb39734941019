// SPDX-License-Identifier: BSD-3-Clause
// MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw: every size, in place, unequal counts, a type per peer.
// run: np=1,2,3,4,5,7,8 timeout=120
// run: np=2,3,5 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/comms.h"

static void equal(MPI_Comm comm) {
  for (int k = 0; k < count_of_counts; k++) {
    const int n = many_counts[k];
    int *out = new_ints((size_t)(n * size), -1), *in = new_ints((size_t)(n * size), -1);
    for (int r = 0; r < size; r++) put_numbers(out + r * n, rank, r, n);
    MPI_Alltoall(out, n, MPI_INT, in, n, MPI_INT, comm);
    for (int r = 0; r < size; r++) check_numbers(in + r * n, r, rank, n, "alltoall");
    check_untouched(&in[n * size], "alltoall");
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, n, MPI_INT, comm);
    for (int r = 0; r < size; r++) check_numbers(out + r * n, r, rank, n, "alltoall in place");
    free(out);
    free(in);
  }
}

// Rank r sends scale * ((r + 2 s) mod 5) numbers to rank s.
static int amount(int from, int to, int scale) { return scale * ((from + 2 * to) % 5); }

static void unequal(MPI_Comm comm) {
  const int scales[] = {1, 40, 3000};
  for (int k = 0; k < 3; k++) {
    int out_counts[16], out_places[16], in_counts[16], in_places[16], out_total = 0, in_total = 0;
    for (int r = 0; r < size; r++) {  // blocks stand in rank order on the way out, and the other way round on the way in
      out_counts[r] = amount(rank, r, scales[k]);
      out_places[r] = out_total;
      out_total += out_counts[r];
      const int s = size - 1 - r;
      in_counts[s] = amount(s, rank, scales[k]);
      in_places[s] = in_total;
      in_total += in_counts[s] + 1;
    }
    int *out = new_ints((size_t)out_total, -1), *in = new_ints((size_t)in_total, -1);
    for (int r = 0; r < size; r++) put_numbers(out + out_places[r], rank, r, out_counts[r]);
    MPI_Alltoallv(out, out_counts, out_places, MPI_INT, in, in_counts, in_places, MPI_INT, comm);
    for (int r = 0; r < size; r++) {
      check_numbers(in + in_places[r], r, rank, in_counts[r], "alltoallv");
      check_untouched(&in[in_places[r] + in_counts[r]], "alltoallv");
    }
    free(out);
    free(in);
  }
}

// Sends plain ints; receives from even ranks plain, from odd ranks spread over three cells each.
static void types(MPI_Comm comm) {
  const int n = 300, block = 3 * n * (int)sizeof(int);
  MPI_Datatype spread = spread_int(), out_types[16], in_types[16];
  int counts[16], places[16];
  for (int r = 0; r < size; r++) {
    counts[r] = n;
    places[r] = r * block;
    out_types[r] = MPI_INT;
    in_types[r] = r % 2 ? spread : MPI_INT;
  }
  int *out = new_ints((size_t)(3 * n * size), -1), *in = new_ints((size_t)(3 * n * size), -1);
  for (int r = 0; r < size; r++) put_numbers(out + 3 * n * r, rank, r, n);
  MPI_Alltoallw(out, counts, places, out_types, in, counts, places, in_types, comm);
  for (int r = 0; r < size; r++)
    for (int i = 0; i < n; i++) {
      const int got = in[3 * n * r + (r % 2 ? 3 * i : i)];
      CHECK(got == number(r, rank, i), "alltoallw from %d, element %d: %d", r, i, got);
    }
  for (int r = 1; r < size; r += 2)
    for (int i = 0; i < n; i++) CHECK(in[3 * n * r + 3 * i + 1] == -1, "alltoallw from %d: gap %d was written", r, i);
  free(out);
  free(in);
  MPI_Type_free(&spread);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  run_on_many(equal);
  run_on_many(unequal);
  run_on_many(types);
  return check_finish();
}
