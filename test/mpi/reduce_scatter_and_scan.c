// SPDX-License-Identifier: BSD-3-Clause
// MPI_Reduce_scatter, MPI_Reduce_scatter_block, MPI_Scan and MPI_Exscan: every size, in place, unequal counts.
// run: np=1,2,3,4,5,7,8 timeout=120
// run: np=2,3,5 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/comms.h"

static int64_t value(int r, int i) { return (int64_t)(r + 1) * (i % 1000 + 1); }

static int64_t sum_of(int ranks, int i) { return (int64_t)ranks * (ranks + 1) / 2 * (i % 1000 + 1); }

static int64_t* new_values(int n, int own) {
  int64_t* data = must_alloc(sizeof(int64_t) * (size_t)(n + 1));
  for (int i = 0; i <= n; i++) data[i] = own && i < n ? value(rank, i) : -1;
  return data;
}

static void check_sums(const int64_t* got, int first, int n, int ranks, const char* what) {
  for (int i = 0; i < n; i++)
    CHECK(got[i] == sum_of(ranks, first + i), "%s, rank %d of %d, count %d, element %d: %lld, expected %lld", what, rank,
          size, n, i, (long long)got[i], (long long)sum_of(ranks, first + i));
}

static void blocks(MPI_Comm comm) {
  for (int k = 0; k < count_of_counts; k++) {
    const int n = many_counts[k];
    int64_t *mine = new_values(n * size, 1), *part = new_values(n, 0);
    MPI_Reduce_scatter_block(mine, part, n, MPI_INT64_T, MPI_SUM, comm);
    check_sums(part, n * rank, n, size, "reduce_scatter_block");
    CHECK(part[n] == -1, "reduce_scatter_block wrote beyond its end");
    MPI_Reduce_scatter_block(MPI_IN_PLACE, mine, n, MPI_INT64_T, MPI_SUM, comm);
    check_sums(mine, n * rank, n, size, "reduce_scatter_block in place");
    free(mine);
    free(part);
  }
}

static void unequal(MPI_Comm comm) {
  const int scales[] = {1, 30, 7000};
  for (int k = 0; k < 3; k++) {
    int counts[16], total = 0, first = 0;
    for (int r = 0; r < size; r++) {
      counts[r] = scales[k] * ((r + 2) % 4);
      if (r < rank) first += counts[r];
      total += counts[r];
    }
    int64_t *mine = new_values(total, 1), *part = new_values(counts[rank], 0);
    MPI_Reduce_scatter(mine, part, counts, MPI_INT64_T, MPI_SUM, comm);
    check_sums(part, first, counts[rank], size, "reduce_scatter");
    CHECK(part[counts[rank]] == -1, "reduce_scatter wrote beyond its end");
    MPI_Reduce_scatter(MPI_IN_PLACE, mine, counts, MPI_INT64_T, MPI_SUM, comm);
    check_sums(mine, first, counts[rank], size, "reduce_scatter in place");
    free(mine);
    free(part);
  }
}

static void scans(MPI_Comm comm) {
  for (int k = 0; k < count_of_counts; k++) {
    const int n = many_counts[k];
    int64_t *mine = new_values(n, 1), *got = new_values(n, 0);
    MPI_Scan(mine, got, n, MPI_INT64_T, MPI_SUM, comm);
    check_sums(got, 0, n, rank + 1, "scan");
    CHECK(got[n] == -1, "scan wrote beyond its end");
    MPI_Exscan(mine, got, n, MPI_INT64_T, MPI_SUM, comm);
    if (rank > 0) check_sums(got, 0, n, rank, "exscan");
    MPI_Scan(MPI_IN_PLACE, mine, n, MPI_INT64_T, MPI_SUM, comm);
    check_sums(mine, 0, n, rank + 1, "scan in place");
    for (int i = 0; i < n; i++) mine[i] = value(rank, i);
    MPI_Exscan(MPI_IN_PLACE, mine, n, MPI_INT64_T, MPI_SUM, comm);
    if (rank > 0) check_sums(mine, 0, n, rank, "exscan in place");
    free(mine);
    free(got);
  }
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  run_on_many(blocks);
  run_on_many(unequal);
  run_on_many(scans);
  return check_finish();
}
