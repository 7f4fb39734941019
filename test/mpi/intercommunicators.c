// SPDX-License-Identifier: BSD-3-Clause
// Intercommunicators: making, sizes, point to point, merging, and collectives between the two groups.
// run: np=2,3,4,5,7 timeout=60
// run: np=2,5 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

static MPI_Comm local, inter;
static int side, rank, size, remote_size;  // side 0: the even ranks of the world

static void make(void) {
  side = world_rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, world_rank, &local);
  MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - side, 12, &inter);
  MPI_Comm_rank(inter, &rank);
  MPI_Comm_size(inter, &size);
  MPI_Comm_remote_size(inter, &remote_size);
}

static void properties(void) {
  int flag = 0, n = -1;
  MPI_Group group;
  MPI_Comm dup;
  MPI_Comm_test_inter(inter, &flag);
  CHECK(flag && rank == world_rank / 2 && size == (world_size + 1 - side) / 2 && remote_size == world_size - size,
        "rank %d of %d, %d", rank, size, remote_size);
  MPI_Comm_remote_group(inter, &group);
  MPI_Group_size(group, &n);
  CHECK(n == remote_size, "remote group of %d", n);
  MPI_Group_free(&group);
  MPI_Comm_dup(inter, &dup);
  MPI_Comm_compare(inter, dup, &n);
  CHECK(n == MPI_CONGRUENT, "comparison %d", n);
  MPI_Comm_free(&dup);
}

static void point_to_point(void) {
  for (int r = 0; r < remote_size; r++) {
    int out = world_rank * 100 + r, in = -1;
    MPI_Status status;
    MPI_Sendrecv(&out, 1, MPI_INT, r, 1, &in, 1, MPI_INT, r, 1, inter, &status);
    const int peer = 2 * r + 1 - side;
    CHECK(in == peer * 100 + rank && status.MPI_SOURCE == r, "from %d: %d", r, in);
  }
}

static void merged(void) {
  MPI_Comm all;
  int n = -1, r = -1, sum = -1;
  MPI_Intercomm_merge(inter, side == 0, &all);  // the odd ranks come first
  MPI_Comm_size(all, &n);
  MPI_Comm_rank(all, &r);
  CHECK(n == world_size && r == (side ? rank : remote_size + rank), "rank %d of %d", r, n);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(sum == world_size * (world_size - 1) / 2, "sum %d", sum);
  MPI_Comm_free(&all);
}

// The sum of the ranks of the other side in the world.
static int remote_sum(void) {
  int sum = 0;
  for (int r = 0; r < remote_size; r++) sum += 2 * r + 1 - side;
  return sum;
}

static void collectives(void) {
  int value = side == 0 && rank == 0 ? 99 : -1, sum = -1, all[16];
  const int root = side == 0 ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
  MPI_Barrier(inter);
  MPI_Bcast(&value, 1, MPI_INT, root, inter);
  CHECK(value == 99 || side == 0, "bcast: %d", value);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, inter);
  CHECK(sum == remote_sum(), "allreduce: %d, expected %d", sum, remote_sum());
  memset(all, -1, sizeof all);
  MPI_Allgather(&world_rank, 1, MPI_INT, all, 1, MPI_INT, inter);
  for (int r = 0; r < remote_size; r++) CHECK(all[r] == 2 * r + 1 - side, "allgather %d: %d", r, all[r]);
  sum = -1;
  MPI_Reduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, root, inter);
  CHECK(root != MPI_ROOT || sum == remote_sum(), "reduce: %d", sum);
  memset(all, -1, sizeof all);
  MPI_Gather(&world_rank, 1, MPI_INT, all, 1, MPI_INT, root, inter);
  for (int r = 0; r < remote_size && root == MPI_ROOT; r++) CHECK(all[r] == 2 * r + 1, "gather %d: %d", r, all[r]);
  for (int r = 0; r < remote_size; r++) all[r] = 1000 + r;
  value = -1;
  MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, root, inter);
  CHECK(side == 0 || value == 1000 + rank, "scatter: %d", value);
  int out[16], in[16];
  for (int r = 0; r < remote_size; r++) out[r] = world_rank * 100 + r;
  MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, inter);
  for (int r = 0; r < remote_size; r++) CHECK(in[r] == (2 * r + 1 - side) * 100 + rank, "alltoall %d: %d", r, in[r]);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  make();
  properties();
  point_to_point();
  merged();
  collectives();
  MPI_Comm_free(&inter);
  MPI_Comm_free(&local);
  return check_finish();
}
