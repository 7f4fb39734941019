// SPDX-License-Identifier: BSD-3-Clause
// Case H04: wrong arguments give the right error class, and leave everything usable.
// run: np=1,2,3 timeout=60
#include "../support/check.h"

static int data[64], other[64];

static void point_to_point(MPI_Comm c) {
  MPI_Request request;
  CHECK_CLASS(MPI_Send(NULL, 5, MPI_INT, 0, 1, c), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Send(data, -1, MPI_INT, 0, 1, c), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Send(data, 1, MPI_DATATYPE_NULL, 0, 1, c), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Send(data, 1, MPI_INT, world_size, 1, c), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Send(data, 1, MPI_INT, MPI_ANY_SOURCE, 1, c), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Send(data, 1, MPI_INT, 0, MPI_ANY_TAG, c), MPI_ERR_TAG);
  CHECK_CLASS(MPI_Recv(data, 1, MPI_INT, world_size, 1, c, MPI_STATUS_IGNORE), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Recv(NULL, 5, MPI_INT, 0, 1, c, MPI_STATUS_IGNORE), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Isend(data, -1, MPI_INT, 0, 1, c, &request), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Irecv(data, -1, MPI_INT, 0, 1, c, &request), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Probe(world_size, 1, c, MPI_STATUS_IGNORE), MPI_ERR_RANK);
}

static void uncommitted(MPI_Comm c) {
  MPI_Datatype two;
  MPI_Type_contiguous(2, MPI_INT, &two);
  CHECK_CLASS(MPI_Send(data, 1, two, 0, 1, c), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Bcast(data, 1, two, 0, c), MPI_ERR_TYPE);
  MPI_Type_free(&two);
  CHECK(two == MPI_DATATYPE_NULL, "the handle of a freed type is not MPI_DATATYPE_NULL");
}

static void collectives(MPI_Comm c) {
  CHECK_CLASS(MPI_Bcast(data, 1, MPI_INT, world_size, c), MPI_ERR_ROOT);
  CHECK_CLASS(MPI_Bcast(data, 1, MPI_INT, -5, c), MPI_ERR_ROOT);
  CHECK_CLASS(MPI_Bcast(data, -1, MPI_INT, 0, c), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Bcast(NULL, 5, MPI_INT, 0, c), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Reduce(data, other, 1, MPI_INT, MPI_SUM, world_size, c), MPI_ERR_ROOT);
  CHECK_CLASS(MPI_Allreduce(data, other, 1, MPI_BYTE, MPI_SUM, c), MPI_ERR_OP);
  CHECK_CLASS(MPI_Allreduce(data, other, 1, MPI_INT, MPI_OP_NULL, c), MPI_ERR_OP);
  CHECK_CLASS(MPI_Allreduce(data, other, 1, MPI_DATATYPE_NULL, MPI_SUM, c), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Allreduce(NULL, other, 5, MPI_INT, MPI_SUM, c), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Gather(data, -1, MPI_INT, other, 1, MPI_INT, 0, c), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Alltoall(data, 1, MPI_INT, NULL, 1, MPI_INT, c), MPI_ERR_BUFFER);
}

// Reduce_local has no communicator: its errors go to the handler of MPI_COMM_SELF (MPI 4.0, 9.3).
static void local_calls(void) {
  errors_return(MPI_COMM_SELF);
  CHECK_CLASS(MPI_Reduce_local(MPI_IN_PLACE, other, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Reduce_local(data, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Reduce_local(data, data, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Reduce_local(data, other, 1, MPI_BYTE, MPI_SUM), MPI_ERR_OP);
  int size = 0;
  CHECK_CLASS(MPI_Comm_size(MPI_COMM_NULL, &size), MPI_ERR_COMM);
  CHECK_CLASS(MPI_Send(data, 1, MPI_INT, 0, 1, MPI_COMM_NULL), MPI_ERR_COMM);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  const int next = (world_rank + 1) % world_size, before = (world_rank + world_size - 1) % world_size;
  errors_return(MPI_COMM_WORLD);
  point_to_point(MPI_COMM_WORLD);
  uncommitted(MPI_COMM_WORLD);
  collectives(MPI_COMM_WORLD);
  local_calls();
  MPI_Sendrecv(&world_rank, 1, MPI_INT, next, 3, data, 1, MPI_INT, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(data[0] == before, "after the errors: %d", data[0]);
  return check_finish();
}
