// SPDX-License-Identifier: BSD-3-Clause
// The forms with MPI_Count do what the others do: point to point, types, packing, every collective.
// run: np=1,2,3,4 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

#if MPI_VERSION >= 4

static int left, right;

static void point_to_point(void) {
  int out[3] = {world_rank, 7, 8}, in[3] = {-1, -1, -1};
  MPI_Status status;
  MPI_Request requests[2];
  MPI_Count got = -1;
  MPI_Sendrecv_c(out, 3, MPI_INT, right, 1, in, 3, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
  MPI_Get_count_c(&status, MPI_INT, &got);
  CHECK(got == 3 && in[0] == left && in[2] == 8, "count %lld, %d %d", (long long)got, in[0], in[2]);
  MPI_Get_elements_c(&status, MPI_INT, &got);
  CHECK(got == 3, "elements %lld", (long long)got);
  in[0] = -1;
  MPI_Irecv_c(in, 3, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend_c(out, 3, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(in[0] == left, "%d", in[0]);
  MPI_Recv_init_c(in, 3, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init_c(out, 3, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[1]);
  in[0] = -1;
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK(in[0] == left, "%d", in[0]);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void types(void) {
  MPI_Datatype t;
  MPI_Count size = -1, lower = -1, extent = -1, position = 0;
  MPI_Type_vector_c(3, 1, 2, MPI_INT, &t);
  MPI_Type_commit(&t);
  MPI_Type_size_c(t, &size);
  MPI_Type_get_extent_c(t, &lower, &extent);
  CHECK(size == 12 && lower == 0 && extent == 20, "size %lld, extent %lld", (long long)size, (long long)extent);
  int data[6] = {0, 1, 2, 3, 4, 5}, packed[3];
  MPI_Pack_c(data, 1, t, packed, sizeof packed, &position, MPI_COMM_WORLD);
  CHECK(position == 12 && packed[0] == 0 && packed[1] == 2 && packed[2] == 4, "%d %d %d", packed[0], packed[1], packed[2]);
  MPI_Type_free(&t);
  const MPI_Count lengths[2] = {1, 2}, places[2] = {4, 0};
  MPI_Type_indexed_c(2, lengths, places, MPI_INT, &t);
  MPI_Type_size_c(t, &size);
  CHECK(size == 12, "size %lld", (long long)size);
  MPI_Type_free(&t);
  MPI_Type_contiguous_c((MPI_Count)1 << 33, MPI_INT, &t);  // larger than an int can say
  MPI_Type_size_c(t, &size);
  CHECK(size == (MPI_Count)1 << 35, "size %lld", (long long)size);
  int small = -5;
  MPI_Type_size(t, &small);
  CHECK(small == MPI_UNDEFINED, "size as an int: %d", small);
  MPI_Type_free(&t);
}

static void collectives(void) {
  const MPI_Comm c = MPI_COMM_WORLD;
  int mine = world_rank + 1, sum = -1, all[16], out[16], in[16], value = world_rank == 0 ? 42 : -1;
  MPI_Count counts[16];
  MPI_Aint places[16];
  for (int r = 0; r < world_size; r++) counts[r] = 1, places[r] = r, out[r] = world_rank * 100 + r;
  const int total = world_size * (world_size + 1) / 2;
  MPI_Bcast_c(&value, 1, MPI_INT, 0, c);
  CHECK(value == 42, "bcast %d", value);
  MPI_Allreduce_c(&mine, &sum, 1, MPI_INT, MPI_SUM, c);
  CHECK(sum == total, "allreduce %d", sum);
  MPI_Reduce_c(&mine, &sum, 1, MPI_INT, MPI_MAX, 0, c);
  CHECK(world_rank != 0 || sum == world_size, "reduce %d", sum);
  MPI_Scan_c(&mine, &sum, 1, MPI_INT, MPI_SUM, c);
  CHECK(sum == mine * (mine + 1) / 2, "scan %d", sum);
  MPI_Allgather_c(&mine, 1, MPI_INT, all, 1, MPI_INT, c);
  for (int r = 0; r < world_size; r++) CHECK(all[r] == r + 1, "allgather %d: %d", r, all[r]);
  memset(all, 0, sizeof all);
  MPI_Allgatherv_c(&mine, 1, MPI_INT, all, counts, places, MPI_INT, c);
  for (int r = 0; r < world_size; r++) CHECK(all[r] == r + 1, "allgatherv %d: %d", r, all[r]);
  memset(all, 0, sizeof all);
  MPI_Gatherv_c(&mine, 1, MPI_INT, all, counts, places, MPI_INT, 0, c);
  for (int r = 0; r < world_size && world_rank == 0; r++) CHECK(all[r] == r + 1, "gatherv %d: %d", r, all[r]);
  for (int r = 0; r < world_size; r++) all[r] = r + 1;
  MPI_Scatterv_c(all, counts, places, MPI_INT, &value, 1, MPI_INT, 0, c);
  CHECK(value == mine, "scatterv %d", value);
  MPI_Alltoall_c(out, 1, MPI_INT, in, 1, MPI_INT, c);
  for (int r = 0; r < world_size; r++) CHECK(in[r] == r * 100 + world_rank, "alltoall %d: %d", r, in[r]);
  memset(in, 0, sizeof in);
  MPI_Alltoallv_c(out, counts, places, MPI_INT, in, counts, places, MPI_INT, c);
  for (int r = 0; r < world_size; r++) CHECK(in[r] == r * 100 + world_rank, "alltoallv %d: %d", r, in[r]);
  MPI_Reduce_scatter_c(all, &value, counts, MPI_INT, MPI_SUM, c);
  CHECK(value == mine * world_size, "reduce_scatter %d", value);
  MPI_Reduce_scatter_block_c(all, &value, 1, MPI_INT, MPI_SUM, c);
  CHECK(value == mine * world_size, "reduce_scatter_block %d", value);
}

static void sum_ints(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
  int *a = in, *b = inout;
  (void)type;
  for (MPI_Count i = 0; i < *count; i++) b[i] += a[i];
}

static void user_operation(void) {
  MPI_Op op;
  int mine[100], got[100];
  MPI_Op_create_c(sum_ints, 1, &op);
  for (int i = 0; i < 100; i++) mine[i] = world_rank + i;
  MPI_Allreduce(mine, got, 100, MPI_INT, op, MPI_COMM_WORLD);
  for (int i = 0; i < 100; i++)
    CHECK(got[i] == world_size * i + world_size * (world_size - 1) / 2, "element %d: %d", i, got[i]);
  MPI_Op_free(&op);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  right = (world_rank + 1) % world_size;
  left = (world_rank + world_size - 1) % world_size;
  point_to_point();
  types();
  collectives();
  user_operation();
  return check_finish();
}

#else

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  return check_finish();
}

#endif
