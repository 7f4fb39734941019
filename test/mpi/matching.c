// SPDX-License-Identifier: BSD-3-Clause
// Which message meets which receive: order, wildcards, tags, communicators; sendrecv and sendrecv_replace; cancelled
// receives.
// run: np=2,3,4,5 timeout=60
// run: np=2,3 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

// Messages of very different size from one sender keep their order for a receiver with wildcards.
static void order_with_wildcards(void) {
  const int sizes[] = {1, 200000, 10, 70000, 0, 3000000, 5};
  char* data = must_alloc(3000000);
  if (world_rank != 0) {
    for (int i = 0; i < 7; i++) {
      fill_pattern(data, (size_t)sizes[i], (uint64_t)(world_rank * 10 + i));
      MPI_Send(data, sizes[i], MPI_BYTE, 0, i * 3, MPI_COMM_WORLD);
    }
  } else {
    int next[16] = {0};
    for (int k = 0; k < 7 * (world_size - 1); k++) {
      MPI_Status status;
      int got = -1;
      MPI_Recv(data, 3000000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      const int i = next[status.MPI_SOURCE]++;
      MPI_Get_count(&status, MPI_BYTE, &got);
      CHECK(status.MPI_TAG == i * 3 && got == sizes[i], "message %d of rank %d: tag %d, %d bytes", i, status.MPI_SOURCE,
            status.MPI_TAG, got);
      CHECK_PATTERN(data, (size_t)got, (uint64_t)(status.MPI_SOURCE * 10 + i));
    }
  }
  free(data);
}

static void tags_out_of_order(void) {
  enum { n = 50 };
  if (world_rank == 1) {
    for (int i = 0; i < n; i++) MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
  } else if (world_rank == 0) {
    for (int i = n - 1; i >= 0; i--) {
      int got = -1;
      MPI_Recv(&got, 1, MPI_INT, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(got == i, "tag %d brought %d", i, got);
    }
  }
}

// The oldest receive that fits gets the message, wildcard or not.
static void posted_order(void) {
  int values[4] = {-1, -1, -1, -1};
  MPI_Request requests[4];
  if (world_rank == 0) {
    MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(&values[2], 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(&values[3], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[3]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 1)
    for (int i = 0; i < 4; i++) MPI_Send(&i, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
  if (world_rank == 0) {
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; i++) CHECK(values[i] == i, "receive %d got message %d", i, values[i]);
  }
}

static void communicators_apart(void) {
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  if (world_rank == 0) {
    const int a = 1, b = 2;
    MPI_Send(&a, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    MPI_Send(&b, 1, MPI_INT, 1, 4, dup);
  } else if (world_rank == 1) {
    int a = 0, b = 0;
    MPI_Recv(&b, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, dup, MPI_STATUS_IGNORE);
    MPI_Recv(&a, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(a == 1 && b == 2, "%d %d", a, b);
  }
  MPI_Comm_free(&dup);
}

static void exchanges(int count) {
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  int *out = must_alloc(sizeof(int) * (size_t)count), *in = must_alloc(sizeof(int) * (size_t)count);
  MPI_Status status;
  for (int i = 0; i < count; i++) out[i] = world_rank * 1000 + i, in[i] = -1;
  MPI_Sendrecv(out, count, MPI_INT, right, 8, in, count, MPI_INT, left, 8, MPI_COMM_WORLD, &status);
  for (int i = 0; i < count; i++) CHECK(in[i] == left * 1000 + i, "sendrecv of %d, element %d: %d", count, i, in[i]);
  CHECK(status.MPI_SOURCE == left && status.MPI_TAG == 8, "status %d %d", status.MPI_SOURCE, status.MPI_TAG);
  MPI_Sendrecv_replace(out, count, MPI_INT, right, 9, left, 9, MPI_COMM_WORLD, &status);
  for (int i = 0; i < count; i++) CHECK(out[i] == left * 1000 + i, "replace of %d, element %d: %d", count, i, out[i]);
  free(out);
  free(in);
}

static void replace_with_gaps(void) {
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  int data[20];
  MPI_Datatype every_second;
  MPI_Type_vector(10, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  for (int i = 0; i < 20; i++) data[i] = world_rank * 100 + i;
  MPI_Sendrecv_replace(data, 1, every_second, right, 1, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 19; i++) CHECK(data[i] == (i % 2 ? world_rank : left) * 100 + i, "element %d: %d", i, data[i]);
  MPI_Type_free(&every_second);
}

static void to_self(void) {
  int out = 9, in = 0;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, world_rank, 3, MPI_COMM_WORLD, &request);
  MPI_Send(&out, 1, MPI_INT, world_rank, 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in == 9, "to self: %d", in);
  MPI_Isend(&out, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request);
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void cancelled_receive(void) {
  int value = -1, flag = -1;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1234, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag && request == MPI_REQUEST_NULL, "the receive was not cancelled");
  MPI_Barrier(MPI_COMM_WORLD);
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  MPI_Sendrecv(&world_rank, 1, MPI_INT, right, 1234, &value, 1, MPI_INT, left, 1234, MPI_COMM_WORLD, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(value == left && !flag, "after the cancel: %d, cancelled %d", value, flag);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  order_with_wildcards();
  MPI_Barrier(MPI_COMM_WORLD);
  tags_out_of_order();
  posted_order();
  communicators_apart();
  exchanges(1);
  exchanges(1000);
  exchanges(300000);
  replace_with_gaps();
  to_self();
  cancelled_receive();
  return check_finish();
}
