// SPDX-License-Identifier: BSD-3-Clause
// Case C08: every collective accepts NULL buffers where the count is 0, on all ranks or, for the v-forms, on some.
// run: np=1,2,3,4,5,7,8 timeout=60
// run: np=2,3 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

static int zeros[16], ones_at_even[16], places[16];
static MPI_Datatype ints[16];

#define GOOD(call) CHECK_CLASS(call, MPI_SUCCESS)

static void all_zero(MPI_Comm c) {
  const int last = world_size - 1;
  GOOD(MPI_Bcast(NULL, 0, MPI_INT, last, c));
  GOOD(MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, last, c));
  GOOD(MPI_Gatherv(NULL, 0, MPI_INT, NULL, zeros, zeros, MPI_INT, last, c));
  GOOD(MPI_Scatter(NULL, 0, MPI_INT, NULL, 0, MPI_INT, last, c));
  GOOD(MPI_Scatterv(NULL, zeros, zeros, MPI_INT, NULL, 0, MPI_INT, last, c));
  GOOD(MPI_Allgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, c));
  GOOD(MPI_Allgatherv(NULL, 0, MPI_INT, NULL, zeros, zeros, MPI_INT, c));
  GOOD(MPI_Alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, c));
  GOOD(MPI_Alltoallv(NULL, zeros, zeros, MPI_INT, NULL, zeros, zeros, MPI_INT, c));
  GOOD(MPI_Alltoallw(NULL, zeros, zeros, ints, NULL, zeros, zeros, ints, c));
  GOOD(MPI_Reduce(NULL, NULL, 0, MPI_INT, MPI_SUM, last, c));
  GOOD(MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, c));
  GOOD(MPI_Reduce_scatter(NULL, NULL, zeros, MPI_INT, MPI_SUM, c));
  GOOD(MPI_Reduce_scatter_block(NULL, NULL, 0, MPI_INT, MPI_SUM, c));
  GOOD(MPI_Scan(NULL, NULL, 0, MPI_INT, MPI_SUM, c));
  GOOD(MPI_Exscan(NULL, NULL, 0, MPI_INT, MPI_SUM, c));
  GOOD(MPI_Reduce_local(NULL, NULL, 0, MPI_INT, MPI_SUM));
}

static void in_place_zero(MPI_Comm c) {
  GOOD(MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, NULL, 0, MPI_INT, c));
  GOOD(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, NULL, 0, MPI_INT, c));
  GOOD(MPI_Allreduce(MPI_IN_PLACE, NULL, 0, MPI_INT, MPI_SUM, c));
  GOOD(MPI_Scan(MPI_IN_PLACE, NULL, 0, MPI_INT, MPI_SUM, c));
}

// The even ranks contribute one element, the odd ones none and NULL.
static void some_zero(MPI_Comm c) {
  const int root = world_size - 1, mine = 100 + world_rank, even = world_rank % 2 == 0, evens = (world_size + 1) / 2;
  int all[16], got = -1;
  const void* send = even ? &mine : NULL;

  memset(all, 0, sizeof all);
  GOOD(MPI_Gatherv(send, even, MPI_INT, all, ones_at_even, places, MPI_INT, root, c));
  for (int i = 0; i < evens && world_rank == root; i++) CHECK(all[i] == 100 + 2 * i, "gatherv %d: %d", i, all[i]);
  memset(all, 0, sizeof all);
  GOOD(MPI_Allgatherv(send, even, MPI_INT, all, ones_at_even, places, MPI_INT, c));
  for (int i = 0; i < evens; i++) CHECK(all[i] == 100 + 2 * i, "allgatherv %d: %d", i, all[i]);
  GOOD(MPI_Scatterv(all, ones_at_even, places, MPI_INT, even ? &got : NULL, even, MPI_INT, root, c));
  CHECK(!even || got == mine, "scatterv: %d", got);
  got = -1;
  GOOD(MPI_Reduce_scatter(all, even ? &got : NULL, ones_at_even, MPI_INT, MPI_SUM, c));
  CHECK(!even || got == mine * world_size, "reduce_scatter: %d", got);

  int sends[16], out[16], in[16];
  for (int r = 0; r < world_size; r++) sends[r] = even ? ones_at_even[r] : 0, out[r] = 10 * world_rank + r;
  memset(in, 0, sizeof in);
  int receives[16], spread[16];
  for (int r = 0; r < world_size; r++) receives[r] = even ? ones_at_even[r] : 0, spread[r] = r;
  GOOD(MPI_Alltoallv(even ? out : NULL, sends, spread, MPI_INT, even ? in : NULL, receives, spread, MPI_INT, c));
  for (int r = 0; r < world_size && even; r += 2) CHECK(in[r] == 10 * r + world_rank, "alltoallv from %d: %d", r, in[r]);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  for (int r = 0; r < 16; r++) {
    ones_at_even[r] = r % 2 == 0;
    places[r] = r / 2;
    ints[r] = MPI_INT;
  }
  errors_return(MPI_COMM_WORLD);
  for (int repeat = 0; repeat < 5; repeat++) {
    all_zero(MPI_COMM_WORLD);
    in_place_zero(MPI_COMM_WORLD);
    some_zero(MPI_COMM_WORLD);
  }
  return check_finish();
}
