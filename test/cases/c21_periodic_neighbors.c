// SPDX-License-Identifier: BSD-3-Clause
// Case C21: neighborhood collectives on grids with periodic dimensions of extent 1, 2 and 3, where the same two ranks
// exchange several blocks: block s of the sender arrives as block s xor 1 of the receiver.
// run: np=1,2,3,4,6,8,12
// run: np=1,2,3,4,6,8 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

enum { most_dims = 4, most_blocks = 2 * most_dims };

static MPI_Comm grid;
static int me, blocks, neighbors[most_blocks];  // neighbors[s]: whom block s goes to

static int value(int from, int block, int index) { return (from * 100 + block) * 1000 + index; }

// Block b of what was received, `count` numbers `stride` apart.
static void check_block(const int* data, int b, int count, int stride, const char* what) {
  const int source = neighbors[b];
  for (int i = 0; i < count; i++) {
    const int wanted = source == MPI_PROC_NULL ? -1 : value(source, b ^ 1, i);
    CHECK(data[i * stride] == wanted, "%s: number %d of block %d is %d, not %d", what, i, b, data[i * stride], wanted);
  }
}

static void check_allgather_block(const int* data, int b, int count, const char* what) {
  for (int i = 0; i < count; i++) {
    const int wanted = neighbors[b] == MPI_PROC_NULL ? -1 : value(neighbors[b], 0, i);
    CHECK(data[i] == wanted, "%s: number %d of block %d is %d, not %d", what, i, b, data[i], wanted);
  }
}

// Each exchange is made in four forms, which give the same.
enum { blocking, large, nonblocking, persistent, forms };

// Ends the nonblocking form; the persistent one runs twice.
static void end_form(int form, MPI_Request* request) {
  if (form < nonblocking) return;
  for (int start = 0; form == persistent && start < 2; start++) {
    MPI_Start(request);
    if (start == 0) MPI_Wait(request, MPI_STATUS_IGNORE);
  }
  MPI_Wait(request, MPI_STATUS_IGNORE);
  if (form == persistent) MPI_Request_free(request);
}

static int* new_ints(int count) {
  int* data = must_alloc(sizeof(int) * (size_t)count);
  for (int i = 0; i < count; i++) data[i] = -1;
  return data;
}

static int* to_send(int count) {
  int* data = new_ints(count * blocks);
  for (int b = 0; b < blocks; b++)
    for (int i = 0; i < count; i++) data[b * count + i] = value(me, b, i);
  return data;
}

static void alltoall(int count) {
  int *out = to_send(count), *in = new_ints(count * blocks);
  for (int form = 0; form < forms; form++) {
    MPI_Request request;
    for (int i = 0; i < count * blocks; i++) in[i] = -1;
    if (form == blocking) MPI_Neighbor_alltoall(out, count, MPI_INT, in, count, MPI_INT, grid);
    if (form == large) MPI_Neighbor_alltoall_c(out, count, MPI_INT, in, count, MPI_INT, grid);
    if (form == nonblocking) MPI_Ineighbor_alltoall(out, count, MPI_INT, in, count, MPI_INT, grid, &request);
    if (form == persistent) MPI_Neighbor_alltoall_init(out, count, MPI_INT, in, count, MPI_INT, grid, MPI_INFO_NULL, &request);
    end_form(form, &request);
    for (int b = 0; b < blocks; b++) check_block(in + b * count, b, count, 1, "alltoall");
  }
  free(out);
  free(in);
}

// Both ends of a dimension move blocks of a size of its own; the blocks lie backwards, with a gap in between.
static void alltoallv(int count) {
  int counts[most_blocks], out_at[most_blocks], in_at[most_blocks];
  MPI_Count large_counts[most_blocks];
  MPI_Aint large_out_at[most_blocks], large_in_at[most_blocks];
  const int room = (count + most_dims + 1) * blocks;
  int *out = new_ints(room), *in = new_ints(room);
  for (int b = 0; b < blocks; b++) {
    large_counts[b] = counts[b] = count + b / 2;
    large_out_at[b] = out_at[b] = (count + most_dims + 1) * (blocks - 1 - b);
    large_in_at[b] = in_at[b] = (count + most_dims + 1) * ((b + 1) % blocks);
    for (int i = 0; i < counts[b]; i++) out[out_at[b] + i] = value(me, b, i);
  }
  for (int form = 0; form < forms; form++) {
    MPI_Request request;
    for (int i = 0; i < room; i++) in[i] = -1;
    if (form == blocking) MPI_Neighbor_alltoallv(out, counts, out_at, MPI_INT, in, counts, in_at, MPI_INT, grid);
    if (form == large)
      MPI_Neighbor_alltoallv_c(out, large_counts, large_out_at, MPI_INT, in, large_counts, large_in_at, MPI_INT, grid);
    if (form == nonblocking)
      MPI_Ineighbor_alltoallv(out, counts, out_at, MPI_INT, in, counts, in_at, MPI_INT, grid, &request);
    if (form == persistent)
      MPI_Neighbor_alltoallv_init(out, counts, out_at, MPI_INT, in, counts, in_at, MPI_INT, grid, MPI_INFO_NULL, &request);
    end_form(form, &request);
    for (int b = 0; b < blocks; b++) {
      check_block(in + in_at[b], b, counts[b], 1, "alltoallv");
      CHECK(in[in_at[b] + counts[b]] == -1, "alltoallv wrote behind block %d", b);
    }
  }
  free(out);
  free(in);
}

// Blocks of a type with gaps on one side, and at places in bytes that no multiple of an extent gives.
static void alltoallw(int count) {
  int counts[most_blocks], ones[most_blocks];
  MPI_Count large_counts[most_blocks], large_ones[most_blocks];
  MPI_Aint out_at[most_blocks], in_at[most_blocks];
  MPI_Datatype out_types[most_blocks], in_types[most_blocks], pairs;
  const int room = 2 * (count + 1) * blocks;
  int* out = to_send(count);
  char* in = must_alloc(sizeof(int) * (size_t)room + 1);
  MPI_Type_vector(count, 1, 2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  for (int b = 0; b < blocks; b++) {
    large_counts[b] = counts[b] = count;
    large_ones[b] = ones[b] = 1;
    out_at[b] = (MPI_Aint)sizeof(int) * count * b;
    in_at[b] = 1 + (MPI_Aint)sizeof(int) * 2 * (count + 1) * b;
    out_types[b] = MPI_INT;
    in_types[b] = pairs;
  }
  for (int form = 0; form < forms; form++) {
    MPI_Request request;
    memset(in, 0xff, sizeof(int) * (size_t)room + 1);
    if (form == blocking) MPI_Neighbor_alltoallw(out, counts, out_at, out_types, in, ones, in_at, in_types, grid);
    if (form == large) MPI_Neighbor_alltoallw_c(out, large_counts, out_at, out_types, in, large_ones, in_at, in_types, grid);
    if (form == nonblocking)
      MPI_Ineighbor_alltoallw(out, counts, out_at, out_types, in, ones, in_at, in_types, grid, &request);
    if (form == persistent)
      MPI_Neighbor_alltoallw_init(out, counts, out_at, out_types, in, ones, in_at, in_types, grid, MPI_INFO_NULL, &request);
    end_form(form, &request);
    int* aligned = must_alloc(sizeof(int) * (size_t)room);
    memcpy(aligned, in + 1, sizeof(int) * (size_t)room);
    for (int b = 0; b < blocks; b++) check_block(aligned + 2 * (count + 1) * b, b, count, 2, "alltoallw");
    for (int i = 1; i < room; i += 2) CHECK(aligned[i] == -1, "alltoallw wrote into the gap at %d", i);
    free(aligned);
  }
  MPI_Type_free(&pairs);
  free(out);
  free(in);
}

static void allgather(int count) {
  int *out = new_ints(count), *in = new_ints((count + 1) * blocks), counts[most_blocks], places[most_blocks];
  for (int i = 0; i < count; i++) out[i] = value(me, 0, i);
  for (int form = 0; form < forms; form++) {
    MPI_Request request;
    for (int i = 0; i < (count + 1) * blocks; i++) in[i] = -1;
    if (form == blocking) MPI_Neighbor_allgather(out, count, MPI_INT, in, count, MPI_INT, grid);
    if (form == large) MPI_Neighbor_allgather_c(out, count, MPI_INT, in, count, MPI_INT, grid);
    if (form == nonblocking) MPI_Ineighbor_allgather(out, count, MPI_INT, in, count, MPI_INT, grid, &request);
    if (form == persistent) MPI_Neighbor_allgather_init(out, count, MPI_INT, in, count, MPI_INT, grid, MPI_INFO_NULL, &request);
    end_form(form, &request);
    for (int b = 0; b < blocks; b++) check_allgather_block(in + b * count, b, count, "allgather");
  }
  for (int b = 0; b < blocks; b++) {
    counts[b] = count;
    places[b] = (count + 1) * (blocks - 1 - b);
  }
  for (int form = 0; form < forms; form++) {
    if (form == large) continue;
    MPI_Request request;
    for (int i = 0; i < (count + 1) * blocks; i++) in[i] = -1;
    if (form == blocking) MPI_Neighbor_allgatherv(out, count, MPI_INT, in, counts, places, MPI_INT, grid);
    if (form == nonblocking) MPI_Ineighbor_allgatherv(out, count, MPI_INT, in, counts, places, MPI_INT, grid, &request);
    if (form == persistent)
      MPI_Neighbor_allgatherv_init(out, count, MPI_INT, in, counts, places, MPI_INT, grid, MPI_INFO_NULL, &request);
    end_form(form, &request);
    for (int b = 0; b < blocks; b++) {
      check_allgather_block(in + places[b], b, count, "allgatherv");
      CHECK(in[places[b] + count] == -1, "allgatherv wrote behind block %d", b);
    }
  }
  free(out);
  free(in);
}

// All grids of this shape: each dimension periodic or not.
static void on_grids(int ndims, const int* dims) {
  for (int mask = 0; mask < 1 << ndims; mask++) {
    int periods[most_dims];
    for (int d = 0; d < ndims; d++) periods[d] = mask >> d & 1;
    MPI_Cart_create(MPI_COMM_WORLD, ndims, dims, periods, 0, &grid);
    if (grid == MPI_COMM_NULL) continue;
    MPI_Comm_rank(grid, &me);
    blocks = 2 * ndims;
    for (int d = 0; d < ndims; d++) MPI_Cart_shift(grid, d, 1, &neighbors[2 * d], &neighbors[2 * d + 1]);
    const int counts[] = {0, 1, 5, 3000, 40000};
    for (int k = 0; k < 5; k++) {
      alltoall(counts[k]);
      alltoallv(counts[k]);
      alltoallw(counts[k]);
      allgather(counts[k]);
    }
    MPI_Comm_free(&grid);
  }
}

int main(int argc, char** argv) {
  static const int shapes[][most_dims + 1] = {{0},          {1, 1},       {1, 2},       {1, 3},       {2, 1, 1},
                                              {2, 2, 1},    {2, 1, 2},    {2, 3, 1},    {2, 2, 2},    {2, 3, 2},
                                              {3, 1, 1, 1}, {3, 1, 2, 3}, {3, 2, 2, 2}, {3, 3, 2, 2}, {4, 1, 2, 1, 1}};
  check_start(&argc, &argv);
  for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
    int ranks = 1;
    for (int d = 1; d <= shapes[k][0]; d++) ranks *= shapes[k][d];
    if (ranks <= world_size) on_grids(shapes[k][0], shapes[k] + 1);
  }
  return check_finish();
}
