// SPDX-License-Identifier: BSD-3-Clause
// Probing: the four calls, with and without wildcards; a message taken out by a matched probe is no other receive's any
// more.
// run: np=1,2,3,4 timeout=60
// run: np=2,3 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

static int left, right;

static void check_status(const MPI_Status* status, int tag, int bytes) {
  int count = -1;
  MPI_Get_count(status, MPI_BYTE, &count);
  CHECK(status->MPI_SOURCE == left && status->MPI_TAG == tag && count == bytes,
        "source %d tag %d, %d bytes; expected %d %d %d", status->MPI_SOURCE, status->MPI_TAG, count, left, tag, bytes);
}

static void probe(int bytes, int wait, int wildcards) {
  char *out = must_alloc((size_t)bytes), *in = must_alloc((size_t)bytes);
  MPI_Request request;
  MPI_Status status;
  int found = wait;
  fill_pattern(out, (size_t)bytes, (uint64_t)world_rank);
  MPI_Isend(out, bytes, MPI_BYTE, right, 4, MPI_COMM_WORLD, &request);
  const int source = wildcards ? MPI_ANY_SOURCE : left, tag = wildcards ? MPI_ANY_TAG : 4;
  if (wait) MPI_Probe(source, tag, MPI_COMM_WORLD, &status);
  while (!found) MPI_Iprobe(source, tag, MPI_COMM_WORLD, &found, &status);
  check_status(&status, 4, bytes);
  MPI_Iprobe(source, tag, MPI_COMM_WORLD, &found, &status);
  CHECK(found, "a probed message is gone");
  MPI_Recv(in, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
  check_status(&status, 4, bytes);
  CHECK_PATTERN(in, (size_t)bytes, (uint64_t)left);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  free(out);
  free(in);
}

static void matched(int bytes, int wait, int nonblocking) {
  char *out = must_alloc((size_t)bytes), *in = must_alloc((size_t)bytes), *second = must_alloc((size_t)bytes);
  MPI_Request sends[2], receive;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  int found = wait;
  fill_pattern(out, (size_t)bytes, (uint64_t)world_rank);
  MPI_Isend(out, bytes, MPI_BYTE, right, 4, MPI_COMM_WORLD, &sends[0]);
  MPI_Isend(out, bytes, MPI_BYTE, right, 4, MPI_COMM_WORLD, &sends[1]);
  if (wait) MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &message, &status);
  while (!found) MPI_Improbe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &found, &message, &status);
  check_status(&status, 4, bytes);
  MPI_Recv(second, bytes, MPI_BYTE, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // gets the second message
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  CHECK(!found, "a message taken out is found again");
  if (nonblocking) {
    MPI_Imrecv(in, bytes, MPI_BYTE, &message, &receive);
    CHECK(message == MPI_MESSAGE_NULL, "the message handle is still there");
    MPI_Wait(&receive, &status);
  } else {
    MPI_Mrecv(in, bytes, MPI_BYTE, &message, &status);
    CHECK(message == MPI_MESSAGE_NULL, "the message handle is still there");
  }
  check_status(&status, 4, bytes);
  CHECK_PATTERN(in, (size_t)bytes, (uint64_t)left);
  CHECK_PATTERN(second, (size_t)bytes, (uint64_t)left);
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  free(out);
  free(in);
  free(second);
}

static void nothing_there(void) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  int found = 1;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
  CHECK(!found, "something is there");
  MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &message, &status);
  CHECK(!found, "something is there");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Probe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG, "source %d", status.MPI_SOURCE);
  MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status);
  CHECK(message == MPI_MESSAGE_NO_PROC, "not MPI_MESSAGE_NO_PROC");
  int value = 5;
  MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
  CHECK(message == MPI_MESSAGE_NULL && value == 5 && status.MPI_SOURCE == MPI_PROC_NULL, "value %d", value);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const int sizes[] = {0, 1, 60, 5000, 100000, 1000000};
  check_start(&argc, &argv);
  right = (world_rank + 1) % world_size;
  left = (world_rank + world_size - 1) % world_size;
  nothing_there();
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 4; k++) {
      probe(sizes[i], k % 2, k / 2);
      matched(sizes[i], k % 2, k / 2);
    }
  return check_finish();
}
