// SPDX-License-Identifier: BSD-3-Clause
// Threads mark the partitions of one send as ready, and others look for those of one receive, all at once.
// run: np=2 timeout=60
#include <pthread.h>

#include "../support/check.h"

enum { THREADS = 4, PARTITIONS = 64, ELEMENTS = 500, ROUNDS = 6 };
static int data[PARTITIONS * ELEMENTS];
static MPI_Request request;
static int current_round;

static int value(int index) { return current_round * 1000000 + index; }

static void* sender(void* argument) {
  const int first = (int)(intptr_t)argument;
  for (int i = first; i < PARTITIONS; i += THREADS) {
    for (int k = 0; k < ELEMENTS; k++) data[i * ELEMENTS + k] = value(i * ELEMENTS + k);
    MPI_Pready(i, request);
  }
  return NULL;
}

static void* receiver(void* argument) {
  const int first = (int)(intptr_t)argument;
  for (int i = first; i < PARTITIONS; i += THREADS) {
    int flag = 0;
    while (!flag) MPI_Parrived(request, i, &flag);
    for (int k = 0; k < ELEMENTS; k++)
      CHECK(data[i * ELEMENTS + k] == value(i * ELEMENTS + k), "partition %d has %d", i, data[i * ELEMENTS + k]);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  if (world_rank == 0) {
    MPI_Psend_init(data, PARTITIONS, ELEMENTS, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  } else {
    MPI_Precv_init(data, PARTITIONS, ELEMENTS, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  }
  for (current_round = 0; current_round < ROUNDS; current_round++) {
    pthread_t threads[THREADS];
    MPI_Start(&request);
    for (int i = 0; i < THREADS; i++)
      pthread_create(&threads[i], NULL, world_rank == 0 ? sender : receiver, (void*)(intptr_t)i);
    MPI_Wait(&request, MPI_STATUS_IGNORE);  // while they work
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  }
  MPI_Request_free(&request);
  return check_finish();
}
