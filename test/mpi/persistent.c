// SPDX-License-Identifier: BSD-3-Clause
// Persistent requests: all modes, started one by one and together, many times; inactive ones among waits and tests; freed at
// the end.
// run: np=1,2,3,4 timeout=60
// run: np=2,3 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

enum { rounds = 15 };

typedef int init_function(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static int left, right;

static void mode(init_function* init, int bytes, int together, int is_ready) {
  char *out = must_alloc((size_t)bytes), *in = must_alloc((size_t)bytes);
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Recv_init(in, bytes, MPI_BYTE, left, 6, MPI_COMM_WORLD, &requests[0]);
  init(out, bytes, MPI_BYTE, right, 6, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < rounds; i++) {
    int got = -1;
    fill_pattern(out, (size_t)bytes, (uint64_t)(world_rank * rounds + i));
    memset(in, 0, (size_t)bytes);
    if (together && !is_ready) {
      MPI_Startall(2, requests);
    } else {
      MPI_Start(&requests[0]);
      if (is_ready) MPI_Barrier(MPI_COMM_WORLD);
      MPI_Start(&requests[1]);
    }
    MPI_Waitall(2, requests, statuses);
    CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL, "a persistent request ended with its round %d",
          i);
    MPI_Get_count(&statuses[0], MPI_BYTE, &got);
    CHECK(got == bytes && statuses[0].MPI_SOURCE == left && statuses[0].MPI_TAG == 6, "round %d: %d bytes", i, got);
    CHECK_PATTERN(in, (size_t)bytes, (uint64_t)(left * rounds + i));
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL, "freed requests are still there");
  free(out);
  free(in);
}

static void inactive(void) {
  MPI_Request request;
  MPI_Status status;
  int value = -1, done = 0, index = -5, count = -5, indices[1];
  MPI_Recv_init(&value, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);  // an inactive request is complete with an empty status
  CHECK(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG, "source %d", status.MPI_SOURCE);
  MPI_Test(&request, &done, &status);
  CHECK(done, "test of an inactive request");
  MPI_Waitany(1, &request, &index, &status);
  CHECK(index == MPI_UNDEFINED, "waitany: %d", index);
  MPI_Waitsome(1, &request, &count, indices, &status);
  CHECK(count == MPI_UNDEFINED, "waitsome: %d", count);
  MPI_Testall(1, &request, &done, &status);
  CHECK(done && request != MPI_REQUEST_NULL, "testall of an inactive request");
  MPI_Request_free(&request);
}

static void null_process(void) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int value = 3;
  MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Send_init(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &requests[1]);
  for (int i = 0; i < 3; i++) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
    CHECK(statuses[0].MPI_SOURCE == MPI_PROC_NULL && value == 3, "source %d", statuses[0].MPI_SOURCE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void cancelled(void) {
  MPI_Request request;
  MPI_Status status;
  int value = -1, flag = 0;
  MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag && request != MPI_REQUEST_NULL, "not cancelled");
  MPI_Barrier(MPI_COMM_WORLD);  // nobody sends before all have cancelled
  MPI_Start(&request);          // it can be used again
  MPI_Send(&world_rank, 1, MPI_INT, right, 99, MPI_COMM_WORLD);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(!flag && value == left, "value %d", value);
  MPI_Request_free(&request);
}

int main(int argc, char** argv) {
  const int sizes[] = {0, 1, 100, 5000, 100000, 1000000};
  check_start(&argc, &argv);
  right = (world_rank + 1) % world_size;
  left = (world_rank + world_size - 1) % world_size;
  char* buffer = must_alloc(1100000 + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(buffer, 1100000 + MPI_BSEND_OVERHEAD);
  for (int i = 0; i < 6; i++) {
    mode(MPI_Send_init, sizes[i], 0, 0);
    mode(MPI_Send_init, sizes[i], 1, 0);
    mode(MPI_Ssend_init, sizes[i], 1, 0);
    mode(MPI_Rsend_init, sizes[i], 0, 1);
  }
  mode(MPI_Bsend_init, 1000, 0, 0);
  void* detached;
  int size;
  MPI_Buffer_detach(&detached, &size);
  free(buffer);
  inactive();
  null_process();
  cancelled();
  return check_finish();
}
