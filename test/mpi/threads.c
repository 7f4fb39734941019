// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE: threads that share a communicator by tags, that probe for each other's messages, and that wait for
// the same kind of
// completion at the same time; a thread that waits does not hold up the others.
// run: np=1,2,3 timeout=120
// run: np=2 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <pthread.h>
#include <unistd.h>

#include "../support/check.h"

enum { threads = 5, rounds = 400, largest = 50000 };

static int left, right;

static void run_threads(void* (*work)(void*)) {
  pthread_t running[threads];
  for (intptr_t t = 0; t < threads; t++) CHECK(pthread_create(&running[t], NULL, work, (void*)t) == 0, "thread %d", (int)t);
  for (int t = 0; t < threads; t++) pthread_join(running[t], NULL);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Each thread has a tag of its own, and sizes that reach both protocols.
static void* exchange(void* argument) {
  const int me = (int)(intptr_t)argument;
  char *out = must_alloc(largest), *in = must_alloc(largest);
  for (int i = 0; i < rounds; i++) {
    const int bytes = (i * 977 + me * 131) % largest;
    const uint64_t seed = (uint64_t)(me * rounds + i) * 8;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int got = -1;
    fill_pattern(out, (size_t)bytes, seed + (uint64_t)world_rank);
    MPI_Irecv(in, largest, MPI_BYTE, left, me, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_BYTE, right, me, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Get_count(&statuses[0], MPI_BYTE, &got);
    CHECK(got == bytes, "thread %d round %d: %d bytes, expected %d", me, i, got, bytes);
    CHECK_PATTERN(in, (size_t)bytes, seed + (uint64_t)left);
  }
  free(out);
  free(in);
  return NULL;
}

// All threads take messages of the same tag out by matched probes: every message goes to exactly one of them.
static int taken[threads * rounds];

static void* take(void* argument) {
  const int me = (int)(intptr_t)argument;
  for (int i = 0; i < rounds; i++) {
    const int number = me * rounds + i;
    MPI_Request request;
    MPI_Isend(&number, 1, MPI_INT, right, 77, MPI_COMM_WORLD, &request);
    MPI_Message message;
    MPI_Status status;
    int got = -1;
    MPI_Mprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
    CHECK(got >= 0 && got < threads * rounds && status.MPI_SOURCE == left, "number %d from %d", got, status.MPI_SOURCE);
    __atomic_fetch_add(&taken[got], 1, __ATOMIC_RELAXED);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return NULL;
}

// Thread 0 waits for a message that a thread of its left neighbour sends last; the others go on meanwhile.
static int others_done;

static void* wait_long(void* argument) {
  const int me = (int)(intptr_t)argument;
  int value = me;
  if (me == 0) {
    MPI_Recv(&value, 1, MPI_INT, left, 500, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(value == 4711, "value %d", value);
    return NULL;
  }
  for (int i = 0; i < 50; i++)
    MPI_Sendrecv(&me, 1, MPI_INT, right, 600 + me, &value, 1, MPI_INT, left, 600 + me, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (__atomic_add_fetch(&others_done, 1, __ATOMIC_ACQ_REL) == threads - 1) {
    usleep(20000);
    value = 4711;
    MPI_Send(&value, 1, MPI_INT, right, 500, MPI_COMM_WORLD);
  }
  return NULL;
}

static MPI_Comm comms[threads];

static void* collectives(void* argument) {
  const int me = (int)(intptr_t)argument;
  for (int i = 0; i < rounds; i++) {
    int mine = world_rank + i * (me + 1), sum = -1, value = world_rank == i % world_size ? i + me : -1;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comms[me]);
    CHECK(sum == world_size * (world_size - 1) / 2 + world_size * i * (me + 1), "thread %d round %d: sum %d", me, i, sum);
    MPI_Bcast(&value, 1, MPI_INT, i % world_size, comms[me]);
    CHECK(value == i + me, "thread %d round %d: value %d", me, i, value);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  CHECK(provided == MPI_THREAD_MULTIPLE, "thread level %d", provided);
  right = (world_rank + 1) % world_size;
  left = (world_rank + world_size - 1) % world_size;
  run_threads(exchange);
  run_threads(take);
  for (int i = 0; i < threads * rounds; i++) CHECK(taken[i] == 1, "message %d was taken %d times", i, taken[i]);
  run_threads(wait_long);
  for (int t = 0; t < threads; t++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
  run_threads(collectives);
  for (int t = 0; t < threads; t++) MPI_Comm_free(&comms[t]);
  return check_finish();
}
