// SPDX-License-Identifier: BSD-3-Clause
// Partitioned communication: partitions of different number and size on both sides, any order of Pready, data that arrives
// before the last partition is ready, matching in the order of the init calls, types with gaps, and what is refused.
// run: np=2,3,4 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

static int right, left;

// `bytes` bytes around the ring in `rounds` rounds, cut differently on both sides.
static void ring(int send_partitions, int receive_partitions, int bytes, int rounds) {
  char *out = must_alloc((size_t)bytes), *in = must_alloc((size_t)bytes);
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Psend_init(out, send_partitions, bytes / send_partitions, MPI_CHAR, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[0]);
  MPI_Precv_init(in, receive_partitions, bytes / receive_partitions, MPI_CHAR, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[1]);
  for (int round = 0; round < rounds; round++) {
    int got = -1, flag = 0;
    fill_pattern(out, (size_t)bytes, (uint64_t)(world_rank + 100 * round));
    memset(in, 0, (size_t)bytes);
    MPI_Startall(2, requests);
    if (round % 3 == 0) {
      for (int i = send_partitions - 1; i >= 0; i--) MPI_Pready(i, requests[0]);
    } else if (round % 3 == 1) {
      MPI_Pready_range(send_partitions / 2, send_partitions - 1, requests[0]);
      if (send_partitions > 1) MPI_Pready_range(0, send_partitions / 2 - 1, requests[0]);
    } else {
      int* list = must_alloc(sizeof(int) * (size_t)send_partitions);
      for (int i = 0; i < send_partitions; i++) list[i] = i % 2 == 0 ? i / 2 : send_partitions - 1 - i / 2;
      MPI_Pready_list(send_partitions, list, requests[0]);
      free(list);
    }
    for (int i = 0; round % 2 == 0 && i < receive_partitions; i++) {
      while (!flag) MPI_Parrived(requests[1], i, &flag);
      const int each = bytes / receive_partitions;
      for (int k = i * each; k < (i + 1) * each; k += 1 + each / 7)
        CHECK((unsigned char)in[k] == pattern_byte((uint64_t)(left + 100 * round), (size_t)k), "byte %d of partition %d", k,
              i);
      flag = 0;
    }
    MPI_Waitall(2, requests, statuses);
    MPI_Get_count(&statuses[1], MPI_CHAR, &got);
    CHECK(got == bytes && statuses[1].MPI_SOURCE == left && statuses[1].MPI_TAG == 5, "%d of %d bytes from %d", got, bytes,
          statuses[1].MPI_SOURCE);
    CHECK_PATTERN(in, (size_t)bytes, (uint64_t)(left + 100 * round));
    MPI_Parrived(requests[1], 0, &flag);
    CHECK(flag, "an inactive request has nothing to wait for");
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL, "the handles stay");
  free(out);
  free(in);
}

// A partition arrives while another is not ready: the receiver's answer is what the sender waits for.
static void before_the_last(void) {
  int data[2] = {0, 0}, flag = 0;
  MPI_Request request;
  if (world_rank == 0) {
    MPI_Psend_init(data, 2, 1, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    data[1] = 11;
    MPI_Pready(1, request);
    MPI_Recv(NULL, 0, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag, "complete without partition 0");
    data[0] = 10;
    MPI_Pready(0, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  } else if (world_rank == 1) {
    MPI_Precv_init(data, 2, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    while (!flag) MPI_Parrived(request, 1, &flag);
    CHECK(data[1] == 11, "%d", data[1]);
    MPI_Parrived(request, 0, &flag);
    CHECK(!flag, "partition 0 is not ready");
    MPI_Send(NULL, 0, MPI_INT, 0, 6, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(data[0] == 10, "%d", data[0]);
    MPI_Request_free(&request);
  }
}

// A partition without data arrives when its sender says so, like any other.
static void empty_partitions(int send_partitions, int receive_partitions) {
  MPI_Request requests[2];
  MPI_Psend_init(NULL, send_partitions, 0, MPI_INT, right, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(NULL, receive_partitions, 0, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  for (int round = 0; round < 3; round++) {
    int flag = 0;
    MPI_Start(&requests[1]);
    for (int i = 0; i < receive_partitions; i++) {
      MPI_Parrived(requests[1], i, &flag);
      CHECK(!flag, "round %d: partition %d of %d arrived before it was sent", round, i, receive_partitions);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&requests[0]);
    MPI_Pready(0, requests[0]);
    if (send_partitions == receive_partitions)
      while (!flag) MPI_Parrived(requests[1], 0, &flag);
    MPI_Parrived(requests[1], receive_partitions - 1, &flag);
    CHECK(!flag || send_partitions == 1, "round %d: the last partition is not ready", round);
    MPI_Barrier(MPI_COMM_WORLD);
    if (send_partitions > 1) MPI_Pready_range(1, send_partitions - 1, requests[0]);
    for (int i = 0; i < receive_partitions; i++)
      do MPI_Parrived(requests[1], i, &flag);
      while (!flag);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

// Sends and receives of one tag match in the order in which they were made, not in which they start; others do not disturb.
static void matching(MPI_Comm comm) {
  enum { N = 4 };
  const int tags[N] = {1, 2, 1, 1};
  int data[N], other = 77;
  MPI_Request requests[N], plain;
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) {
    for (int i = 0; i < N; i++) {
      data[i] = 20 + i;
      MPI_Psend_init(&data[i], 1, 1, MPI_INT, 1, tags[i], comm, MPI_INFO_NULL, &requests[i]);
    }
    MPI_Isend(&other, 1, MPI_INT, 1, 1, comm, &plain);
    for (int i = N - 1; i >= 0; i--) {
      if (i == 2) continue;  // this pair is never used
      MPI_Start(&requests[i]);
      MPI_Pready(0, requests[i]);
    }
  } else if (rank == 1) {
    other = 0;
    MPI_Irecv(&other, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &plain);
    for (int i = 0; i < N; i++) {
      data[i] = -1;
      MPI_Precv_init(&data[i], 1, 1, MPI_INT, 0, tags[i], comm, MPI_INFO_NULL, &requests[i]);
    }
    MPI_Request_free(&requests[2]);  // its place in the order stays
    for (int i = N - 1; i >= 0; i--)
      if (i != 2) MPI_Start(&requests[i]);
  }
  if (rank < 2) {
    for (int i = 0; i < N; i++) {
      if (i == 2) continue;
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
      CHECK(data[i] == 20 + i, "receive %d has the data of send %d", i, data[i] - 20);
      MPI_Request_free(&requests[i]);
    }
    if (rank == 0) MPI_Request_free(&requests[2]);
    MPI_Wait(&plain, MPI_STATUS_IGNORE);
    CHECK(other == 77, "%d", other);
  }
}

// Every second int; the cut of the sender goes through elements of the receiver.
static void gaps(void) {
  enum { INTS = 24 };
  int out[INTS], in[2 * INTS];
  MPI_Datatype column, pair;
  MPI_Request requests[2];
  MPI_Type_vector(2, 1, 2, MPI_INT, &column);
  MPI_Type_create_resized(column, 0, 4 * sizeof(int), &pair);
  MPI_Type_free(&column);
  MPI_Type_commit(&pair);
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < INTS; i++) out[i] = 1000 * (world_rank + 1) + i;
    memset(in, 0, sizeof in);
    if (round == 0) {
      MPI_Psend_init(out, INTS / 3, 3, MPI_INT, right, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
      MPI_Precv_init(in, 4, INTS / 8, pair, left, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    } else {
      MPI_Psend_init_c(out, 2, INTS / 2, MPI_INT, right, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
      MPI_Precv_init_c(in, 1, INTS / 2, pair, left, 8, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    }
    for (int again = 0; again < 2; again++) {
      int partitions = round == 0 ? INTS / 3 : 2;
      MPI_Startall(2, requests);
      MPI_Pready_range(0, partitions - 1, requests[0]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      for (int i = 0; i < INTS; i++)
        CHECK(in[2 * i] == 1000 * (left + 1) + i && in[2 * i + 1] == 0, "int %d is %d, the gap %d", i, in[2 * i],
              in[2 * i + 1]);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  }
  MPI_Type_free(&pair);
}

static void no_process(void) {
  int data = 3, flag = 0, count = -1;
  MPI_Request requests[2];
  MPI_Status status;
  MPI_Psend_init(&data, 1, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Precv_init(&data, 1, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Startall(2, requests);
  MPI_Parrived(requests[1], 0, &flag);
  CHECK(flag, "nothing is to come from MPI_PROC_NULL");
  MPI_Wait(&requests[1], &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && count == 0, "source %d", status.MPI_SOURCE);
  MPI_Pready(0, requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void refused(void) {
  int data[4] = {0}, flag, twice[2] = {1, 1}, beyond[2] = {0, 4};
  MPI_Request send, receive, plain;
  MPI_Comm self;
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  errors_return(self);
  const MPI_Info none = MPI_INFO_NULL;
  CHECK_CLASS(MPI_Psend_init(data, -1, 1, MPI_INT, 0, 0, self, none, &send), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Psend_init(data, 1, -1, MPI_INT, 0, 0, self, none, &send), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Psend_init(data, 1, 1, MPI_DATATYPE_NULL, 0, 0, self, none, &send), MPI_ERR_TYPE);
  CHECK_CLASS(MPI_Psend_init(data, 1, 1, MPI_INT, 7, 0, self, none, &send), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Psend_init(data, 1, 1, MPI_INT, 0, -1, self, none, &send), MPI_ERR_TAG);
  CHECK_CLASS(MPI_Psend_init(NULL, 1, 1, MPI_INT, 0, 0, self, none, &send), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Psend_init_c(data, 4, INT64_MAX / 2, MPI_INT, 0, 0, self, none, &send), MPI_ERR_COUNT);
  CHECK_CLASS(MPI_Precv_init(data, 1, 1, MPI_INT, MPI_ANY_SOURCE, 0, self, none, &receive), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Precv_init(data, 1, 1, MPI_INT, 0, MPI_ANY_TAG, self, none, &receive), MPI_ERR_TAG);

  int in[3];
  MPI_Psend_init(data, 4, 1, MPI_INT, 0, 0, self, none, &send);
  MPI_Precv_init(in, 1, 3, MPI_INT, 0, 0, self, none, &receive);
  CHECK_CLASS(MPI_Pready(0, send), MPI_ERR_REQUEST);
  MPI_Start(&send);
  CHECK_CLASS(MPI_Start(&send), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Pready(4, send), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Pready(-1, send), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Pready_range(2, 1, send), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Pready_range(2, 4, send), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Pready_list(2, beyond, send), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Pready_list(2, twice, send), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Parrived(send, 0, &flag), MPI_ERR_REQUEST);
  MPI_Pready(0, send);
  CHECK_CLASS(MPI_Pready(0, send), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Pready_range(0, 3, send), MPI_ERR_ARG);
  MPI_Pready_range(1, 3, send);  // the refused calls marked nothing
  CHECK_CLASS(MPI_Cancel(&send), MPI_ERR_REQUEST);
  MPI_Start(&receive);
  CHECK_CLASS(MPI_Parrived(receive, 1, &flag), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Pready(0, receive), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Wait(&receive, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);  // four ints for three
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Request_free(&send);
  MPI_Request_free(&receive);

  MPI_Irecv(data, 1, MPI_INT, 0, 0, self, &plain);
  CHECK_CLASS(MPI_Pready(0, plain), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Parrived(plain, 0, &flag), MPI_ERR_REQUEST);
  CHECK_CLASS(MPI_Pready(0, MPI_REQUEST_NULL), MPI_ERR_REQUEST);
  MPI_Cancel(&plain);
  MPI_Wait(&plain, MPI_STATUS_IGNORE);
  MPI_Comm_free(&self);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  errors_return(MPI_COMM_SELF);
  right = (world_rank + 1) % world_size;
  left = (world_rank + world_size - 1) % world_size;
  const int cuts[][3] = {{1, 1, 8},     {4, 4, 64},         {3, 5, 150},     {16, 1, 4096},
                         {1, 16, 4096}, {5000, 250, 10000}, {7, 3, 2100000}, {2, 1000, 1000000}};
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) ring(cuts[i][0], cuts[i][1], cuts[i][2], 4);
  before_the_last();
  empty_partitions(3, 3);
  empty_partitions(2, 5);
  empty_partitions(5, 2);
  empty_partitions(1, 4);
  empty_partitions(4, 1);
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  matching(MPI_COMM_WORLD);
  matching(twin);
  MPI_Comm_free(&twin);
  gaps();
  no_process();
  refused();
  return check_finish();
}
