// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking collectives that repeat earlier ones with other buffers, several under way at a time: each works on the buffers of
// its own call, whatever was reused of an earlier one (MPI 5.0, section 6.12).
// run: np=1,2,3,4,5 timeout=60
// run: np=3 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

enum { ROUNDS = 40, MOST = 3000, AT_A_TIME = 12 };

static int in[AT_A_TIME][MOST], out[AT_A_TIME][8 * MOST];

static int value(int rank, int round, int i) { return rank * 1000003 + round * 1009 + i; }
static int sum_of(int round, int i) {
  int sum = 0;
  for (int r = 0; r < world_size; r++) sum += value(r, round, i);
  return sum;
}

static void check_block(const int* block, int n, int from, int round, const char* what) {
  for (int i = 0; i < n; i++)
    CHECK(block[i] == value(from, round, i), "%s, round %d, element %d of rank %d: %d", what, round, i, from, block[i]);
}

// One call of each kind with buffers that move from round to round.
static void repeat(MPI_Comm comm, int n) {
  for (int round = 0; round < ROUNDS; round++) {
    MPI_Request requests[AT_A_TIME];
    int k = 0, root = round % 3 % world_size;
    for (int j = 0; j < AT_A_TIME; j++)
      for (int i = 0; i < n; i++) in[j][i] = value(world_rank, round, i);
    int* const other = out[(5 + round) % AT_A_TIME];  // a buffer that is another one in the next round
    MPI_Iallreduce(in[0], other, n, MPI_INT, MPI_SUM, comm, &requests[k++]);
    MPI_Iallgather(in[1], n, MPI_INT, out[(6 + round) % AT_A_TIME], n, MPI_INT, comm, &requests[k++]);
    MPI_Ibcast(in[2 + round % 2], n, MPI_INT, root, comm, &requests[k++]);
    memcpy(out[(7 + round) % AT_A_TIME], in[4], (size_t)n * sizeof(int));
    MPI_Iallreduce(MPI_IN_PLACE, out[(7 + round) % AT_A_TIME], n, MPI_INT, MPI_SUM, comm, &requests[k++]);
    MPI_Iscan(in[5], out[(8 + round) % AT_A_TIME], n, MPI_INT, MPI_SUM, comm, &requests[k++]);
    MPI_Ibarrier(comm, &requests[k++]);
    MPI_Iallreduce(in[6], out[(9 + round) % AT_A_TIME], n, MPI_INT, MPI_MAX, comm, &requests[k++]);
    MPI_Iallreduce(in[0], out[(10 + round) % AT_A_TIME], n, MPI_INT, MPI_SUM, comm, &requests[k++]);  // twice at a time
    for (int r = 0; r < world_size; r++) memcpy(out[round % AT_A_TIME] + r * n, in[7], (size_t)n * sizeof(int));
    MPI_Ialltoall(MPI_IN_PLACE, n, MPI_INT, out[round % AT_A_TIME], n, MPI_INT, comm, &requests[k++]);
    MPI_Waitall(k, requests, MPI_STATUSES_IGNORE);
    int before = 0;
    for (int i = 0; i < n; i++) {
      CHECK(other[i] == sum_of(round, i), "sum, round %d, element %d", round, i);
      CHECK(out[(10 + round) % AT_A_TIME][i] == sum_of(round, i), "second sum, round %d, element %d", round, i);
      CHECK(out[(7 + round) % AT_A_TIME][i] == sum_of(round, i), "sum in place, round %d, element %d", round, i);
      CHECK(out[(9 + round) % AT_A_TIME][i] == value(world_size - 1, round, i), "maximum, round %d, element %d", round, i);
      before = 0;
      for (int r = 0; r <= world_rank; r++) before += value(r, round, i);
      CHECK(out[(8 + round) % AT_A_TIME][i] == before, "scan, round %d, element %d", round, i);
    }
    for (int r = 0; r < world_size; r++) {
      check_block(out[(6 + round) % AT_A_TIME] + r * n, n, r, round, "allgather");
      check_block(out[round % AT_A_TIME] + r * n, n, r, round, "alltoall in place");
    }
    check_block(in[2 + round % 2], n, root, round, "bcast");
  }
}

int main(int argc, char** argv) {
  MPI_Comm dup;
  MPI_Request request;
  check_start(&argc, &argv);
  repeat(MPI_COMM_WORLD, 1);
  repeat(MPI_COMM_WORLD, MOST);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  repeat(dup, 7);
  // What a freed communicator kept goes with it, also where an operation outlives its handle.
  in[0][0] = world_rank;
  MPI_Iallreduce(in[0], out[0], 1, MPI_INT, MPI_SUM, dup, &request);
  MPI_Comm_free(&dup);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(out[0][0] == world_size * (world_size - 1) / 2, "after the communicator was freed: %d", out[0][0]);
  // A derived type that is freed and another one made in its place, perhaps at the same address.
  for (int round = 0; round < 10; round++) {
    MPI_Datatype type;
    const int stride = 2 + round % 2;
    MPI_Type_vector(5, 1, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < 20; i++) in[0][i] = world_rank == 0 ? i + round : -1;
    MPI_Ibcast(in[0], 1, type, 0, MPI_COMM_WORLD, &request);
    MPI_Type_free(&type);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; i++) CHECK(in[0][i * stride] == i * stride + round, "derived type, round %d, element %d", round, i);
    if (world_rank != 0) CHECK(in[0][1] == -1, "derived type, round %d: a gap was written", round);
  }
  return check_finish();
}
