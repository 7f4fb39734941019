// SPDX-License-Identifier: BSD-3-Clause
// Case T01: several threads a rank, each with a communicator of its own, duplicate it, reduce and free at the same time.
// run: np=2,3 timeout=180
// run: np=2 timeout=180 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <pthread.h>

#include "../support/check.h"

enum { threads = 6, rounds = 1000 };

static MPI_Comm parents[threads];

static void* work(void* argument) {
  const int me = (int)(intptr_t)argument;
  for (int i = 0; i < rounds; i++) {
    MPI_Comm dup;
    int mine = me * 1000000 + i * 10 + world_rank, sum = -1;
    MPI_Comm_dup(parents[me], &dup);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, dup);
    const int right = world_size * (me * 1000000 + i * 10) + world_size * (world_size - 1) / 2;
    CHECK(sum == right, "thread %d round %d: %d, expected %d", me, i, sum, right);
    MPI_Comm_free(&dup);
  }
  return NULL;
}

int main(int argc, char** argv) {
  pthread_t running[threads];
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  CHECK(provided == MPI_THREAD_MULTIPLE, "thread level %d", provided);
  for (int t = 0; t < threads; t++) MPI_Comm_dup(MPI_COMM_WORLD, &parents[t]);
  for (int t = 0; t < threads; t++) pthread_create(&running[t], NULL, work, (void*)(intptr_t)t);
  for (int t = 0; t < threads; t++) pthread_join(running[t], NULL);
  for (int t = 0; t < threads; t++) MPI_Comm_free(&parents[t]);
  return check_finish();
}
