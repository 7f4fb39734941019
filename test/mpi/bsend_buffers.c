// SPDX-License-Identifier: BSD-3-Clause
// Whose attached buffer a buffered send takes (communicator, else session, else process), flushing, MPI_BUFFER_AUTOMATIC,
// and what is refused.
// run: np=2,3,4 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

enum { LARGE = 100000, SMALL = 64 };
static char message[LARGE], space[2 * (LARGE + MPI_BSEND_OVERHEAD)], small[SMALL];

// One message of LARGE bytes around the ring; `sent` says whether its buffer has room for it.
static void ring(MPI_Comm comm, int sent) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  fill_pattern(message, LARGE, (uint64_t)rank);
  if (!sent) {
    CHECK_CLASS(MPI_Bsend(message, LARGE, MPI_BYTE, right, 1, comm), MPI_ERR_BUFFER);
    return;
  }
  CHECK(MPI_Bsend(message, LARGE, MPI_BYTE, right, 1, comm) == MPI_SUCCESS, "no room");
  memset(message, 0, LARGE);
  MPI_Recv(message, LARGE, MPI_BYTE, left, 1, comm, MPI_STATUS_IGNORE);
  CHECK_PATTERN(message, LARGE, (uint64_t)left);
  MPI_Barrier(comm);  // the room is free again
}

static MPI_Comm comm_of(MPI_Session session, const char* tag) {
  MPI_Group group;
  MPI_Comm comm;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&group);
  return comm;
}

static void check_detached(void* got, int size, void* wanted, int bytes) {
  CHECK(got == wanted && size == bytes, "%p with %d bytes, expected %p with %d", got, size, wanted, bytes);
}

static void whose(void) {
  MPI_Session session, other;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &other);
  MPI_Comm comm = comm_of(session, "first"), twin, half, stranger = comm_of(other, "second");
  MPI_Comm_dup(comm, &twin);
  MPI_Comm_split(comm, 0, -world_rank, &half);
  void* back;
  int bytes;

  ring(comm, 0);  // nothing is attached
  MPI_Buffer_attach(small, SMALL);
  ring(comm, 0);
  ring(MPI_COMM_WORLD, 0);
  MPI_Session_attach_buffer(session, space, sizeof space);
  CHECK_CLASS(MPI_Session_attach_buffer(session, small, SMALL), MPI_ERR_BUFFER);
  ring(comm, 1);
  ring(twin, 1);  // what is made of them stems from the session too
  ring(half, 1);
  ring(stranger, 0);
  ring(MPI_COMM_WORLD, 0);
  MPI_Comm_attach_buffer(comm, small + SMALL / 2, SMALL / 2);  // the narrowest choice counts, even if it has no room
  ring(comm, 0);
  ring(twin, 1);
  MPI_Comm_detach_buffer(comm, &back, &bytes);
  check_detached(back, bytes, small + SMALL / 2, SMALL / 2);
  ring(comm, 1);
  MPI_Session_flush_buffer(session);
  MPI_Session_detach_buffer(session, &back, &bytes);
  check_detached(back, bytes, space, (int)sizeof space);
  MPI_Session_attach_buffer(session, MPI_BUFFER_AUTOMATIC, 0);
  ring(comm, 1);
  MPI_Count count = -1;
  MPI_Session_detach_buffer_c(session, &back, &count);
  check_detached(back, (int)count, MPI_BUFFER_AUTOMATIC, 0);
  MPI_Buffer_detach(&back, &bytes);
  check_detached(back, bytes, small, SMALL);

  MPI_Comm_free(&half);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&comm);
  MPI_Comm_disconnect(&stranger);
  MPI_Session_finalize(&other);
  MPI_Session_finalize(&session);
}

// The receiver looks only after the sender has asked to flush.
static void flushing(void) {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Comm comm = comm_of(session, "flush");
  if (world_rank == 0) {
    int flag = 1;
    MPI_Request request;
    MPI_Session_attach_buffer_c(session, space, sizeof space);
    fill_pattern(message, LARGE, 5);
    MPI_Bsend(message, LARGE, MPI_BYTE, 1, 2, comm);
    MPI_Session_iflush_buffer(session, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag, "a large message left before it was asked for");
    MPI_Send(NULL, 0, MPI_BYTE, 1, 3, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Session_iflush_buffer(session, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(flag, "nothing is in the buffer");
    MPI_Bsend(message, LARGE, MPI_BYTE, 1, 4, comm);  // finalizing the session flushes it
  } else if (world_rank == 1) {
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 3, comm, MPI_STATUS_IGNORE);
    for (int tag = 2; tag <= 4; tag += 2) {
      MPI_Recv(message, LARGE, MPI_BYTE, 0, tag, comm, MPI_STATUS_IGNORE);
      CHECK_PATTERN(message, LARGE, 5);
    }
  }
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

static void automatic(void) {
  void* back = NULL;
  int bytes = -1;
  CHECK_CLASS(MPI_Buffer_attach(NULL, 10), MPI_ERR_BUFFER);
  MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
  for (int i = 0; i < 3; i++) ring(MPI_COMM_WORLD, 1);
  CHECK_CLASS(MPI_Buffer_attach(space, sizeof space), MPI_ERR_BUFFER);
  MPI_Buffer_detach(&back, &bytes);
  check_detached(back, bytes, MPI_BUFFER_AUTOMATIC, 0);
  MPI_Comm_attach_buffer(MPI_COMM_WORLD, MPI_BUFFER_AUTOMATIC, 0);
  ring(MPI_COMM_WORLD, 1);
  MPI_Comm_flush_buffer(MPI_COMM_WORLD);
  MPI_Comm_detach_buffer(MPI_COMM_WORLD, &back, &bytes);
  check_detached(back, bytes, MPI_BUFFER_AUTOMATIC, 0);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  errors_return(MPI_COMM_WORLD);
  errors_return(MPI_COMM_SELF);
  whose();
  flushing();
  automatic();
  return check_finish();
}
