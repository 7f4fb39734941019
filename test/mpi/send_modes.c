// SPDX-License-Identifier: BSD-3-Clause
// All modes of sending, blocking and not, around a ring; attached buffers; a synchronous send ends only when its receive has
// begun.
// run: np=1,2,3,4,5 timeout=60
// run: np=2,3 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <unistd.h>

#include "../support/check.h"

static int right, left;

static void receive_and_check(char* in, int bytes, uint64_t seed, int tag) {
  MPI_Status status;
  int got = -1;
  memset(in, 0, (size_t)bytes);
  MPI_Recv(in, bytes, MPI_BYTE, left, tag, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_BYTE, &got);
  CHECK(got == bytes && status.MPI_SOURCE == left && status.MPI_TAG == tag, "%d bytes from %d tag %d", got,
        status.MPI_SOURCE, status.MPI_TAG);
  CHECK_PATTERN(in, (size_t)bytes, seed);
}

static void nonblocking(int bytes) {
  typedef int start_function(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  start_function* const start[] = {MPI_Isend, MPI_Issend, MPI_Ibsend};
  char *out = must_alloc((size_t)bytes), *in = must_alloc((size_t)bytes);
  for (int mode = 0; mode < 3; mode++) {
    MPI_Request request;
    fill_pattern(out, (size_t)bytes, (uint64_t)(world_rank * 10 + mode));
    start[mode](out, bytes, MPI_BYTE, right, mode, MPI_COMM_WORLD, &request);
    receive_and_check(in, bytes, (uint64_t)(left * 10 + mode), mode);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL, "mode %d: the request is still there", mode);
  }
  free(out);
  free(in);
}

// A ready send is allowed once its receive is posted, which the barrier tells.
static void ready(int bytes) {
  char *out = must_alloc((size_t)bytes), *in = must_alloc((size_t)bytes);
  for (int blocking = 0; blocking < 2; blocking++) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    fill_pattern(out, (size_t)bytes, (uint64_t)world_rank);
    memset(in, 0, (size_t)bytes);
    MPI_Irecv(in, bytes, MPI_BYTE, left, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (blocking) {
      MPI_Rsend(out, bytes, MPI_BYTE, right, 7, MPI_COMM_WORLD);
    } else {
      MPI_Irsend(out, bytes, MPI_BYTE, right, 7, MPI_COMM_WORLD, &requests[1]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK_PATTERN(in, (size_t)bytes, (uint64_t)left);
  }
  free(out);
  free(in);
}

static void blocking_in_turn(int bytes) {
  if (world_size == 1) return;
  char *out = must_alloc((size_t)bytes), *in = must_alloc((size_t)bytes);
  fill_pattern(out, (size_t)bytes, (uint64_t)world_rank);
  for (int synchronous = 0; synchronous < 2; synchronous++) {
    if (world_rank % 2 == 1) receive_and_check(in, bytes, (uint64_t)left, 3);
    if (synchronous) {
      MPI_Request request;
      if (world_rank % 2 == 0) MPI_Irecv(in, bytes, MPI_BYTE, left, 3, MPI_COMM_WORLD, &request);
      MPI_Ssend(out, bytes, MPI_BYTE, right, 3, MPI_COMM_WORLD);
      if (world_rank % 2 == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Request request;
      if (world_rank % 2 == 0) MPI_Irecv(in, bytes, MPI_BYTE, left, 3, MPI_COMM_WORLD, &request);
      MPI_Send(out, bytes, MPI_BYTE, right, 3, MPI_COMM_WORLD);
      if (world_rank % 2 == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    CHECK_PATTERN(in, (size_t)bytes, (uint64_t)left);
  }
  free(out);
  free(in);
}

static void buffered(void) {
  enum { messages = 20, bytes = 3000 };
  const int space = messages * (bytes + MPI_BSEND_OVERHEAD);
  char *buffer = must_alloc((size_t)space), *out = must_alloc(bytes), *in = must_alloc(bytes);
  void* detached = NULL;
  int size = -1;
  MPI_Buffer_attach(buffer, space);
  for (int round = 0; round < 3; round++) {  // the buffer's space comes back
    for (int i = 0; i < messages; i++) {
      fill_pattern(out, bytes, (uint64_t)(world_rank * 100 + i));
      MPI_Bsend(out, bytes, MPI_BYTE, right, i, MPI_COMM_WORLD);
      memset(out, 0, bytes);  // the data are the buffer's now
    }
    for (int i = 0; i < messages; i++) receive_and_check(in, bytes, (uint64_t)(left * 100 + i), i);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Buffer_detach(&detached, &size);
  CHECK(detached == buffer && size == space, "detached %p of %d bytes, attached %p of %d", detached, size, (void*)buffer,
        space);
  free(buffer);
  free(out);
  free(in);
}

static void synchronous_waits(void) {
  if (world_rank > 1 || world_size < 2) return;
  int value = 5, done = 1;
  if (world_rank == 0) {
    MPI_Request request;
    MPI_Issend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 20; i++) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      CHECK(!done, "a synchronous send ended before its receive was posted");
      usleep(2000);
    }
    MPI_Send(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value == 5, "value %d", value);
  }
}

static void null_process(void) {
  int value = 77;
  MPI_Status status;
  MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  int count = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(value == 77 && count == 0 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG,
        "value %d count %d", value, count);
  MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, NULL, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL, "source %d", status.MPI_SOURCE);
}

int main(int argc, char** argv) {
  const int sizes[] = {0, 1, 40, 1000, 5000, 70000, 2000000};
  check_start(&argc, &argv);
  right = (world_rank + 1) % world_size;
  left = (world_rank + world_size - 1) % world_size;
  char* buffer = must_alloc(3000000 + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(buffer, 3000000 + MPI_BSEND_OVERHEAD);
  for (int i = 0; i < 7; i++) {
    nonblocking(sizes[i]);
    ready(sizes[i]);
    blocking_in_turn(sizes[i]);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void* detached;
  int size;
  MPI_Buffer_detach(&detached, &size);
  free(buffer);
  buffered();
  synchronous_waits();
  null_process();
  return check_finish();
}
