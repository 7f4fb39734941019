// SPDX-License-Identifier: BSD-3-Clause
// Point to point: ranks 2k and 2k + 1 form a pair, all pairs work at the same time.
#include <string.h>

#include "bench.h"

enum { window = 64, big_window = 16 };

static int partner(const struct Job* job) { return job->rank ^ 1; }

static size_t message_bytes(const struct Job* job) { return job->bytes; }

static char byte_of(int rank, int slot, size_t at) { return (char)((size_t)(rank * 7 + slot * 3 + 1) + at * 5); }

static void fill(const struct Job* job, char* send, int slot) {
  for (size_t i = 0; i < job->bytes; i++) send[i] = byte_of(job->rank, slot, i);
}

static long wrong_bytes(const struct Job* job, int slot) {
  const char* got = recv_at(job, slot);
  long wrong = 0;
  for (size_t i = 0; i < job->bytes; i++) wrong += got[i] != byte_of(partner(job), slot % job->slots, i);
  return wrong;
}

static void ping_pong(const struct Job* job, int slot, int iteration) {
  const int peer = partner(job), count = (int)job->bytes;
  (void)iteration;
  if (job->rank % 2 == 0) {
    MPI_Send(send_at(job, slot), count, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    MPI_Recv(recv_at(job, slot), count, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(recv_at(job, slot), count, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(send_at(job, slot), count, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
  }
}

static long check_one(const struct Job* job, int slot, int iteration) {
  (void)iteration;
  return wrong_bytes(job, slot);
}

static long check_window(const struct Job* job, int slot, int iteration) {
  long wrong = 0;
  (void)iteration;
  for (int i = 0; i < job->window; i++) wrong += wrong_bytes(job, slot + i);
  return wrong;
}

static long check_window_received(const struct Job* job, int slot, int iteration) {
  return job->rank % 2 == 0 ? 0 : check_window(job, slot, iteration);
}

static void post_window(const struct Job* job, int slot, int sends, int receives) {
  const int peer = partner(job), count = (int)job->bytes, n = job->window;
  MPI_Request requests[2 * window];
  int posted = 0;
  for (int i = 0; i < n && receives; i++)
    MPI_Irecv(recv_at(job, slot + i), count, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[posted++]);
  for (int i = 0; i < n && sends; i++)
    MPI_Isend(send_at(job, slot + i), count, MPI_BYTE, peer, 1, MPI_COMM_WORLD, &requests[posted++]);
  MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE);
}

// A window of messages one way, then an empty answer.
static void one_way(const struct Job* job, int slot, int iteration) {
  const int peer = partner(job);
  (void)iteration;
  if (job->rank % 2 == 0) {
    post_window(job, slot, 1, 0);
    MPI_Recv(NULL, 0, MPI_BYTE, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    post_window(job, slot, 0, 1);
    MPI_Send(NULL, 0, MPI_BYTE, peer, 2, MPI_COMM_WORLD);
  }
}

static void both_ways(const struct Job* job, int slot, int iteration) {
  (void)iteration;
  post_window(job, slot, 1, 1);
}

static void exchange(const struct Job* job, int slot, int iteration) {
  (void)iteration;
  MPI_Sendrecv(send_at(job, slot), (int)job->bytes, MPI_BYTE, partner(job), 1, recv_at(job, slot), (int)job->bytes, MPI_BYTE,
               partner(job), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

const struct Operation pt2pt_operations[] = {
    {"latency", "blocking", 1, 2, 1, 1, 0, NULL, message_bytes, message_bytes, fill, ping_pong, check_one},
    {"bandwidth", "nonblocking", big_window, 1, 1, 1, 0, NULL, message_bytes, message_bytes, fill, one_way,
     check_window_received},
    {"both_ways", "nonblocking", big_window, 1, 1, 1, 0, NULL, message_bytes, message_bytes, fill, both_ways, check_window},
    {"message_rate", "nonblocking", window, 1, 1, 1, 4096, NULL, message_bytes, message_bytes, fill, one_way,
     check_window_received},
    {"sendrecv", "blocking", 1, 1, 1, 1, 0, NULL, message_bytes, message_bytes, fill, exchange, check_one},
};
const int pt2pt_operation_count = sizeof pt2pt_operations / sizeof pt2pt_operations[0];
