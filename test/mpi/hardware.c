// SPDX-License-Identifier: BSD-3-Clause
// Splitting by hardware, and topologies whose ranks may be reordered.
// run: np=1,2,4,5 timeout=60
// run: np=2,4,6 timeout=60 env=OMPI_LITE_REORDER_ON_NODE=yes
#include "../support/check.h"

// Members agree on what they share: all or none of a communicator's ranks get one that names its resource.
static void split_by_resource(void) {
  MPI_Info known = MPI_INFO_NULL;
  MPI_Get_hw_resource_info(&known);
  int keys = 0;
  MPI_Info_get_nkeys(known, &keys);
  CHECK(keys > 0, "%d kinds of resources", keys);
  for (int i = 0; i < keys; i++) {
    char key[MPI_MAX_INFO_KEY + 1], value[8] = "", found[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0, length = sizeof value;
    MPI_Info_get_nthkey(known, i, key);
    MPI_Info_get_string(known, key, &length, value, &flag);
    CHECK(flag && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0), "%s is %s", key, value);
    MPI_Info wanted;
    MPI_Info_create(&wanted);
    MPI_Info_set(wanted, "mpi_hw_resource_type", key);
    MPI_Comm part = MPI_COMM_NULL;
    CHECK_CLASS(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, wanted, &part), MPI_SUCCESS);
    CHECK((part != MPI_COMM_NULL) == (strcmp(value, "true") == 0), "%s is %s, but the communicator says otherwise", key, value);
    if (part != MPI_COMM_NULL) {
      MPI_Info hints;
      MPI_Comm_get_info(part, &hints);
      length = sizeof found;
      MPI_Info_get_string(hints, "mpi_hw_resource_type", &length, found, &flag);
      CHECK(flag && strcmp(found, key) == 0, "the communicator of %s names \"%s\"", key, found);
      MPI_Info_free(&hints);
      MPI_Comm_free(&part);
    }
    MPI_Info_free(&wanted);
  }
  MPI_Info_free(&known);

  MPI_Info wanted;
  MPI_Info_create(&wanted);
  MPI_Info_set(wanted, "mpi_hw_resource_type", "hwloc://Teapot");
  MPI_Comm part = MPI_COMM_WORLD;
  CHECK_CLASS(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, wanted, &part), MPI_SUCCESS);
  CHECK(part == MPI_COMM_NULL, "a teapot");
  MPI_Info_set(wanted, "mpi_hw_resource_type", "mpi_shared_memory");
  CHECK_CLASS(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, wanted, &part), MPI_SUCCESS);
  int size = 0;
  MPI_Comm_size(part, &size);
  CHECK(size == world_size, "%d ranks on this node", size);
  MPI_Comm_free(&part);
  MPI_Info_free(&wanted);
}

// A strict part of the communicator or nothing; the last rank stays out, without knowing what the others do.
static void split_unguided(void) {
  const int out = world_rank == world_size - 1 && world_size > 2;
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Info info;
  MPI_Info_create(&info);
  CHECK_CLASS(MPI_Comm_split_type(MPI_COMM_WORLD, out ? MPI_UNDEFINED : MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &part), MPI_SUCCESS);
  int told = 0, length = 0;
  MPI_Info_get_string(info, "mpi_hw_resource_type", &length, NULL, &told);
  CHECK(told == (part != MPI_COMM_NULL), "info tells by what it was split: %d", told);
  MPI_Info_free(&info);
  CHECK(!out || part == MPI_COMM_NULL, "who gives MPI_UNDEFINED gets nothing");
  if (part == MPI_COMM_NULL) return;
  int size = 0;
  MPI_Comm_size(part, &size);
  CHECK(size < world_size, "%d of %d ranks are no strict part", size, world_size);
  MPI_Comm_free(&part);
}

// Whatever the order, each rank plays the node whose edges it then is told, and every process plays one.
static void check_played_once(MPI_Comm comm) {
  int rank = -1, mine[64] = {0}, all[64] = {0};
  MPI_Comm_rank(comm, &rank);
  mine[rank] = 1;
  MPI_Allreduce(mine, all, 64, MPI_INT, MPI_SUM, comm);
  int size = 0;
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < size; i++) CHECK(all[i] == 1, "rank %d is played %d times", i, all[i]);
}

static void reorder_graphs(void) {
  const int right = (world_rank + 2) % world_size, left = (world_rank + world_size - 2) % world_size, weight = 5 + world_rank;
  const int one = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  CHECK_CLASS(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &world_rank, &one, &right, &weight, MPI_INFO_NULL, 1, &ring), MPI_SUCCESS);
  for (int round = 0; round < 2; round++) {
    check_played_once(ring);
    int rank = -1, in = -1, out = -1, in_weight = -1, out_weight = -1;
    MPI_Comm_rank(ring, &rank);
    MPI_Dist_graph_neighbors(ring, 1, &in, &in_weight, 1, &out, &out_weight);
    const int before = (rank + world_size - 2) % world_size;
    CHECK(in == before && out == (rank + 2) % world_size, "rank %d hears %d and tells %d", rank, in, out);
    CHECK(in_weight == 5 + before && out_weight == 5 + rank, "weights %d and %d of rank %d", in_weight, out_weight, rank);
    int got = -1;
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &got, 1, MPI_INT, ring);
    CHECK(got == in, "got %d from %d", got, in);
    MPI_Comm_free(&ring);
    const int from_weight = 5 + left;
    if (round == 0)
      CHECK_CLASS(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &from_weight, 1, &right, &weight, MPI_INFO_NULL, 1, &ring),
                  MPI_SUCCESS);
  }
  int *index = must_alloc(sizeof(int) * (size_t)world_size), *edges = must_alloc(sizeof(int) * 2 * (size_t)world_size);
  for (int i = 0; i < world_size; i++) {
    index[i] = 2 * i + 2;
    edges[2 * i] = (i + 2) % world_size;
    edges[2 * i + 1] = (i + world_size - 2) % world_size;
  }
  CHECK_CLASS(MPI_Graph_create(MPI_COMM_WORLD, world_size, index, edges, 1, &ring), MPI_SUCCESS);
  check_played_once(ring);
  MPI_Comm_free(&ring);
  free(index);
  free(edges);
}

static void reorder_grid(void) {
  int dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2];
  MPI_Dims_create(world_size, 2, dims);
  MPI_Comm grid = MPI_COMM_NULL;
  CHECK_CLASS(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid), MPI_SUCCESS);
  check_played_once(grid);
  int rank = -1;
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, coords);
  int got[4] = {-1, -1, -1, -1};
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, grid);
  for (int d = 0; d < 2; d++) {
    int minus, plus;
    MPI_Cart_shift(grid, d, 1, &minus, &plus);
    CHECK(got[2 * d] == (minus == MPI_PROC_NULL ? -1 : minus), "from below along %d: %d, not %d", d, got[2 * d], minus);
    CHECK(got[2 * d + 1] == (plus == MPI_PROC_NULL ? -1 : plus), "from above along %d: %d, not %d", d, got[2 * d + 1], plus);
  }
  MPI_Comm_free(&grid);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  split_by_resource();
  split_unguided();
  reorder_graphs();
  reorder_grid();
  return check_finish();
}
