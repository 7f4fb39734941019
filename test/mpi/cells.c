// SPDX-License-Identifier: BSD-3-Clause
// Large blocking collectives one after another, of sizes around those of a cell, a piece and a ring, with changing roots, in
// place and not, of plain and of strided types, some of non-commutative operations; ranks come late now and then.
// run: np=2,3,4,5,8 timeout=120
// run: np=4 timeout=120 env=OMPI_LITE_EXTRA_SPACE=0
#include <unistd.h>

#include "../support/check.h"

enum { most = 300000 };

static int *send_buffer, *receive_buffer;
static unsigned state = 1;

// The same numbers on all ranks.
static unsigned next_number(unsigned below) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) % below;
}

static int value_of(int rank, int round, long i) { return rank * 7919 + round * 104729 + (int)(i * 31 % 1000003); }

static void fill(int* to, long n, int rank, int round) {
  for (long i = 0; i < n; i++) to[i] = value_of(rank, round, i);
}

static void check_values(const int* got, long n, int rank, int round, long from, const char* what) {
  for (long i = 0; i < n; i++) {
    const int right = value_of(rank, round, from + i);
    CHECK(got[i] == right, "%s, round %d, element %ld: %d, expected %d", what, round, i, got[i], right);
  }
}

// (n, x) op (m, y) = (n + m, y): associative, not commutative; the second number tells the order of ranks.
static void last_of(void* in, void* inout, int* length, MPI_Datatype* type) {
  int *a = in, *b = inout;
  (void)type;
  for (int i = 0; i < *length; i++) {
    CHECK(a[2 * i + 1] < b[2 * i + 1], "ranks out of order: %d before %d", a[2 * i + 1], b[2 * i + 1]);
    b[2 * i] += a[2 * i];
  }
}

static void reductions(int round, long n, int root, int in_place) {
  const int p = world_size, me = world_rank;
  fill(send_buffer, n, me, round);
  if (in_place) fill(receive_buffer, n, me, round);
  MPI_Allreduce(in_place ? MPI_IN_PLACE : send_buffer, receive_buffer, (int)n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (long i = 0; i < n; i++) {
    int right = 0;
    for (int r = 0; r < p; r++) right += value_of(r, round, i);
    CHECK(receive_buffer[i] == right, "all-reduce, round %d, element %ld: %d, expected %d", round, i, receive_buffer[i],
          right);
  }
  if (in_place && me == root) fill(receive_buffer, n, me, round);
  MPI_Reduce(in_place && me == root ? MPI_IN_PLACE : send_buffer, receive_buffer, (int)n, MPI_INT, MPI_MAX, root,
             MPI_COMM_WORLD);
  for (long i = 0; me == root && i < n; i++) {
    int right = value_of(0, round, i);
    for (int r = 1; r < p; r++) right = value_of(r, round, i) > right ? value_of(r, round, i) : right;
    CHECK(receive_buffer[i] == right, "reduce, round %d, element %ld: %d, expected %d", round, i, receive_buffer[i], right);
  }
  const long each = n / p;
  if (each == 0) return;
  if (in_place) fill(receive_buffer, each * p, me, round);
  MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : send_buffer, receive_buffer, (int)each, MPI_INT, MPI_BXOR,
                           MPI_COMM_WORLD);
  for (long i = 0; i < each; i++) {
    int right = 0;
    for (int r = 0; r < p; r++) right ^= value_of(r, round, me * each + i);
    CHECK(receive_buffer[i] == right, "reduce-scatter, round %d, element %ld: %d, expected %d", round, i, receive_buffer[i],
          right);
  }
}

static void ordered(int round, long n, int root, MPI_Op op, MPI_Datatype pair) {
  for (long i = 0; i < n; i++) send_buffer[2 * i] = 1, send_buffer[2 * i + 1] = world_rank;
  MPI_Allreduce(send_buffer, receive_buffer, (int)n, pair, op, MPI_COMM_WORLD);
  for (long i = 0; i < n; i++) {
    CHECK(receive_buffer[2 * i] == world_size, "ordered all-reduce, round %d: %d of %d", round, receive_buffer[2 * i],
          world_size);
    CHECK(receive_buffer[2 * i + 1] == world_size - 1, "ordered all-reduce, round %d: last is %d", round,
          receive_buffer[2 * i + 1]);
  }
  MPI_Reduce(send_buffer, receive_buffer, (int)n, pair, op, root, MPI_COMM_WORLD);
  for (long i = 0; world_rank == root && i < n; i++)
    CHECK(receive_buffer[2 * i] == world_size && receive_buffer[2 * i + 1] == world_size - 1, "ordered reduce, round %d",
          round);
}

// `strided`: type of every second int.
static void movements(int round, long n, int root, int in_place, MPI_Datatype strided) {
  const int p = world_size, me = world_rank;
  const long each = n / p > 0 ? n / p : 1;
  if (me == root) fill(receive_buffer, n, root, round);
  MPI_Bcast(receive_buffer, (int)n, MPI_INT, root, MPI_COMM_WORLD);
  check_values(receive_buffer, n, root, round, 0, "broadcast");
  // Odd ranks take it with gaps.
  if (me == root) fill(send_buffer, each, root, round + 1);
  if (me == root || me % 2 == 0) {
    MPI_Bcast(send_buffer, (int)each, MPI_INT, root, MPI_COMM_WORLD);
    check_values(send_buffer, each, root, round + 1, 0, "broadcast");
  } else {
    MPI_Bcast(receive_buffer, (int)each, strided, root, MPI_COMM_WORLD);
    for (long i = 0; i < each; i++) check_values(receive_buffer + 2 * i, 1, root, round + 1, i, "strided broadcast");
  }
  fill(send_buffer, each, me, round);
  if (in_place) fill(receive_buffer + me * each, each, me, round);
  MPI_Allgather(in_place ? MPI_IN_PLACE : send_buffer, (int)each, MPI_INT, receive_buffer, (int)each, MPI_INT,
                MPI_COMM_WORLD);
  for (int r = 0; r < p; r++) check_values(receive_buffer + r * each, each, r, round, 0, "all-gather");
  if (in_place && me == root) fill(receive_buffer + me * each, each, me, round);
  MPI_Gather(in_place && me == root ? MPI_IN_PLACE : send_buffer, (int)each, MPI_INT, receive_buffer, (int)each, MPI_INT,
             root, MPI_COMM_WORLD);
  for (int r = 0; me == root && r < p; r++) check_values(receive_buffer + r * each, each, r, round, 0, "gather");
  fill(send_buffer, each * p, me, round);
  MPI_Scatter(send_buffer, (int)each, MPI_INT, in_place && me == root ? MPI_IN_PLACE : receive_buffer, (int)each, MPI_INT,
              root, MPI_COMM_WORLD);
  if (!(in_place && me == root)) check_values(receive_buffer, each, root, round, me * each, "scatter");
  if (in_place) fill(receive_buffer, each * p, me, round);
  MPI_Alltoall(in_place ? MPI_IN_PLACE : send_buffer, (int)each, MPI_INT, receive_buffer, (int)each, MPI_INT,
               MPI_COMM_WORLD);
  for (int r = 0; r < p; r++) check_values(receive_buffer + r * each, each, r, round, me * each, "all-to-all");
}

int main(int argc, char** argv) {
  static const long sizes[] = {1000, 1500, 4096, 4097, 16384, 20000, 65537, 100003, 299999};
  MPI_Datatype vector, strided, pair;
  MPI_Op op;
  check_start(&argc, &argv);
  send_buffer = malloc(2 * most * sizeof(int));
  receive_buffer = malloc(2 * most * sizeof(int));
  MPI_Type_vector(1, 1, 2, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, 2 * sizeof(int), &strided);
  MPI_Type_commit(&strided);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(last_of, 0, &op);
  for (int round = 0; round < 24; round++) {
    const long n = sizes[next_number(sizeof sizes / sizeof *sizes)];
    const int root = (int)next_number((unsigned)world_size), in_place = (int)next_number(2);
    if (next_number(8) == 0 && world_rank == root) usleep(2000);
    if (next_number(2) == 0) reductions(round, n, root, in_place);
    movements(round, n, root, in_place, strided);
    if (next_number(4) == 0) ordered(round, n / 2, root, op, pair);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
  MPI_Type_free(&strided);
  MPI_Type_free(&vector);
  free(send_buffer);
  free(receive_buffer);
  return check_finish();
}
