// SPDX-License-Identifier: BSD-3-Clause
// MPI_Reduce and MPI_Allreduce: every root and size, in place, user operations, types with gaps.
// run: np=1,2,3,4,5,7,8 timeout=120
// run: np=2,3,5 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/comms.h"

static int64_t value(int r, int i) { return (int64_t)(r + 1) * (i % 1000 + 1); }

static int64_t sum_of(int ranks, int i) { return (int64_t)ranks * (ranks + 1) / 2 * (i % 1000 + 1); }

static int64_t* new_values(int n) {
  int64_t* data = must_alloc(sizeof(int64_t) * (size_t)(n + 1));
  for (int i = 0; i < n; i++) data[i] = value(rank, i);
  data[n] = -1;
  return data;
}

static void check_sums(const int64_t* got, int n, const char* what) {
  for (int i = 0; i < n; i++)
    CHECK(got[i] == sum_of(size, i), "%s, %d ranks, count %d, element %d: %lld", what, size, n, i, (long long)got[i]);
  CHECK(got[n] == -1, "%s wrote beyond its end", what);
}

static void reduce(MPI_Comm comm) {
  for (int k = 0; k < count_of_counts; k++)
    for (int root = 0; root < size; root++) {
      const int n = many_counts[k], here = rank == root;
      int64_t *mine = new_values(n), *result = here ? new_values(n) : NULL;
      MPI_Reduce(mine, result, n, MPI_INT64_T, MPI_SUM, root, comm);
      if (here) check_sums(result, n, "reduce");
      for (int i = 0; i < n; i++) CHECK(mine[i] == value(rank, i), "reduce changed its input");
      MPI_Reduce(here ? MPI_IN_PLACE : mine, here ? mine : NULL, n, MPI_INT64_T, MPI_SUM, root, comm);
      if (here) check_sums(mine, n, "reduce in place");
      free(mine);
      free(result);
    }
}

static void allreduce(MPI_Comm comm) {
  for (int k = 0; k < count_of_counts; k++) {
    const int n = many_counts[k];
    int64_t *mine = new_values(n), *result = new_values(n);
    MPI_Allreduce(mine, result, n, MPI_INT64_T, MPI_SUM, comm);
    check_sums(result, n, "allreduce");
    for (int i = 0; i < n; i++) CHECK(mine[i] == value(rank, i), "allreduce changed its input");
    MPI_Allreduce(MPI_IN_PLACE, mine, n, MPI_INT64_T, MPI_SUM, comm);
    check_sums(mine, n, "allreduce in place");
    free(mine);
    free(result);
  }
}

// b = a + b for pairs of an int and a double, with a gap between and behind them.
struct Pair {
  int whole;
  double part;
  int gap;
};

static void add_pairs(void* in, void* inout, int* count, MPI_Datatype* type) {
  struct Pair *a = in, *b = inout;
  (void)type;
  for (int i = 0; i < *count; i++) b[i].whole += a[i].whole, b[i].part += a[i].part;
}

static void user_operation(MPI_Comm comm) {
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, 8};
  const MPI_Datatype parts[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype bare, pair;
  MPI_Op op;
  int commutes = -1;
  MPI_Type_create_struct(2, lengths, places, parts, &bare);
  MPI_Type_create_resized(bare, 0, sizeof(struct Pair), &pair);
  MPI_Type_commit(&pair);
  MPI_Type_free(&bare);
  MPI_Op_create(add_pairs, 1, &op);
  MPI_Op_commutative(op, &commutes);
  CHECK(commutes == 1, "commutative %d", commutes);
  for (int n = 1; n < 30000; n = n * 5 + 1) {
    struct Pair *mine = must_alloc(sizeof(struct Pair) * (size_t)n), *got = must_alloc(sizeof(struct Pair) * (size_t)n);
    for (int i = 0; i < n; i++) mine[i] = (struct Pair){rank + i, 0.5 * rank, 7}, got[i] = (struct Pair){0, 0, 9};
    MPI_Allreduce(mine, got, n, pair, op, comm);
    for (int i = 0; i < n; i++)
      CHECK(got[i].whole == size * (size - 1) / 2 + size * i && got[i].part == 0.25 * size * (size - 1) && got[i].gap == 9,
            "pair %d of %d: %d %g %d", i, n, got[i].whole, got[i].part, got[i].gap);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : mine, mine, n, pair, op, 0, comm);
    for (int i = 0; i < n && rank == 0; i++)
      CHECK(mine[i].whole == got[i].whole && mine[i].part == got[i].part && mine[i].gap == 7, "pair %d of %d", i, n);
    free(mine);
    free(got);
  }
  MPI_Op_free(&op);
  CHECK(op == MPI_OP_NULL, "the handle of a freed operation");
  MPI_Type_free(&pair);
}

static void many_in_a_row(MPI_Comm comm) {
  for (int i = 0; i < 3000; i++) {
    int mine = rank + i, sum = -1;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == size * i + size * (size - 1) / 2, "sum %d: %d", i, sum);
  }
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  run_on_many(reduce);
  run_on_many(allreduce);
  run_on_many(user_operation);
  run_on_many(many_in_a_row);
  return check_finish();
}
