// SPDX-License-Identifier: BSD-3-Clause
// Case C09: arguments that a rank's role makes insignificant are ignored, whatever they are.
// run: np=1,2,3,4,5,7,8 timeout=60
// run: np=2,3 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

#define GOOD(call) CHECK_CLASS(call, MPI_SUCCESS)

static const MPI_Datatype none = MPI_DATATYPE_NULL;
static int all[32], counts[16], places[16];
static MPI_Datatype ints[16];

static void fill_own(void) {
  for (int r = 0; r < world_size; r++) all[r] = r == world_rank ? 100 + r : -1;
}

static void check_all(const char* what) {
  for (int r = 0; r < world_size; r++) CHECK(all[r] == 100 + r, "%s: element %d is %d", what, r, all[r]);
}

static void in_place(MPI_Comm c) {
  fill_own();
  GOOD(MPI_Allgather(MPI_IN_PLACE, -1, none, all, 1, MPI_INT, c));
  check_all("allgather");
  fill_own();
  GOOD(MPI_Allgatherv(MPI_IN_PLACE, -1, none, all, counts, places, MPI_INT, c));
  check_all("allgatherv");
  for (int r = 0; r < world_size; r++) all[r] = 100 + world_rank;
  GOOD(MPI_Alltoall(MPI_IN_PLACE, -1, none, all, 1, MPI_INT, c));
  check_all("alltoall");
  for (int r = 0; r < world_size; r++) all[r] = 100 + world_rank;
  GOOD(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, none, all, counts, places, MPI_INT, c));
  check_all("alltoallv");
  int bytes[16];
  for (int r = 0; r < world_size; r++) all[r] = 100 + world_rank, bytes[r] = r * (int)sizeof(int);
  GOOD(MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, all, counts, bytes, ints, c));
  check_all("alltoallw");
}

static void rooted(MPI_Comm c, int root) {
  const int mine = 100 + world_rank, here = world_rank == root;
  int got = -1;
  memset(all, 0, sizeof all);
  GOOD(MPI_Gather(&mine, 1, MPI_INT, here ? all : NULL, here ? 1 : -1, here ? MPI_INT : none, root, c));
  if (here) check_all("gather");
  memset(all, 0, sizeof all);
  GOOD(MPI_Gatherv(&mine, 1, MPI_INT, here ? all : NULL, here ? counts : NULL, here ? places : NULL, here ? MPI_INT : none,
                   root, c));
  if (here) check_all("gatherv");
  fill_own();
  GOOD(MPI_Gather(here ? MPI_IN_PLACE : &mine, here ? -1 : 1, here ? none : MPI_INT, here ? all : NULL, here ? 1 : -1,
                  here ? MPI_INT : none, root, c));
  if (here) check_all("gather in place");

  for (int r = 0; r < world_size; r++) all[r] = 100 + r;
  GOOD(MPI_Scatter(here ? all : NULL, here ? 1 : -1, here ? MPI_INT : none, &got, 1, MPI_INT, root, c));
  CHECK(got == mine, "scatter: %d", got);
  got = -1;
  GOOD(MPI_Scatterv(here ? all : NULL, here ? counts : NULL, here ? places : NULL, here ? MPI_INT : none, &got, 1, MPI_INT,
                    root, c));
  CHECK(got == mine, "scatterv: %d", got);
  got = here ? mine : -1;
  GOOD(MPI_Scatter(here ? all : NULL, here ? 1 : -1, here ? MPI_INT : none, here ? MPI_IN_PLACE : &got, here ? -1 : 1,
                   here ? none : MPI_INT, root, c));
  CHECK(got == mine, "scatter in place: %d", got);
  got = -1;
  GOOD(MPI_Reduce(&mine, here ? &got : NULL, 1, MPI_INT, MPI_MAX, root, c));
  CHECK(!here || got == 100 + world_size - 1, "reduce: %d", got);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  for (int r = 0; r < 16; r++) counts[r] = 1, places[r] = r, ints[r] = MPI_INT;
  errors_return(MPI_COMM_WORLD);
  in_place(MPI_COMM_WORLD);
  for (int root = 0; root < world_size; root++) rooted(MPI_COMM_WORLD, root);
  return check_finish();
}
