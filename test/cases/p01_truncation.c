// SPDX-License-Identifier: BSD-3-Clause
// Case P01: a message longer than its receive gives MPI_ERR_TRUNCATE, writes nothing beyond the buffer, and harms nothing
// after it.
// run: np=2 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,ofi
#include "../support/check.h"

enum { good_messages = 1000, big_bytes = 1 << 20 };

struct Guarded {
  int value, guard;
};

static struct Guarded fresh(void) {
  struct Guarded g = {-1, 0x5a5a5a5a};
  return g;
}

static void check_guard(struct Guarded g) { CHECK(g.guard == 0x5a5a5a5a, "guard overwritten: %x", (unsigned)g.guard); }

static void receive_truncated(void) {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  struct Guarded a = fresh(), b = fresh();
  int index = -1;

  CHECK_CLASS(MPI_Recv(&a.value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  check_guard(a);
  MPI_Irecv(&a.value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, requests);
  CHECK_CLASS(MPI_Wait(requests, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  check_guard(a);
  MPI_Irecv(&a.value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, requests);
  CHECK_CLASS(MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  check_guard(a);

  a = fresh();
  MPI_Irecv(&a.value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&b.value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[1]);
  CHECK_CLASS(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
  CHECK(error_class(statuses[0].MPI_ERROR) == MPI_ERR_TRUNCATE, "class %d", error_class(statuses[0].MPI_ERROR));
  if (statuses[1].MPI_ERROR == MPI_ERR_PENDING) {
    CHECK_CLASS(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
  } else {
    CHECK(statuses[1].MPI_ERROR == MPI_SUCCESS, "good message: %s", error_text(statuses[1].MPI_ERROR));
  }
  CHECK(b.value == 55, "value %d", b.value);
  check_guard(a);
  check_guard(b);

  a = fresh();
  CHECK_CLASS(MPI_Recv(&a.value, 4, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
  check_guard(a);
}

static void send_truncated(void) {
  const int pair[2] = {11, 22}, one = 55;
  char* big = must_alloc(big_bytes);
  fill_pattern(big, big_bytes, 1);
  for (int tag = 1; tag <= 4; tag++) CHECK_CLASS(MPI_Send(pair, 2, MPI_INT, 1, tag, MPI_COMM_WORLD), MPI_SUCCESS);
  CHECK_CLASS(MPI_Send(&one, 1, MPI_INT, 1, 5, MPI_COMM_WORLD), MPI_SUCCESS);
  CHECK_CLASS(MPI_Send(big, big_bytes, MPI_BYTE, 1, 6, MPI_COMM_WORLD), MPI_SUCCESS);
  free(big);
}

static void good_traffic(void) {
  const int peer = 1 - world_rank;
  for (int i = 0; i < good_messages; i++) {
    int out = i * 2 + world_rank, in = -1;
    MPI_Sendrecv(&out, 1, MPI_INT, peer, i, &in, 1, MPI_INT, peer, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == i * 2 + peer, "message %d brought %d", i, in);
  }
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  errors_return(MPI_COMM_WORLD);
  for (int late = 0; late <= 1; late++) {  // once the messages may wait for the receives, once the receives for the messages
    if (world_rank == 0) {
      if (late) MPI_Barrier(MPI_COMM_WORLD);
      send_truncated();
    } else {
      if (late) MPI_Barrier(MPI_COMM_WORLD);
      receive_truncated();
    }
    good_traffic();
  }
  return check_finish();
}
