// SPDX-License-Identifier: BSD-3-Clause
// Case C29: a million checked collectives with more ranks than cores and small random delays: no wrong value, no hang, flat
// memory.
// run: np=4 timeout=300
// run: np=3 timeout=300 args=60000 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <unistd.h>

#include "../support/check.h"

enum { growth_at_most = 8 << 20 };

static long resident_bytes(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%ld %ld", &pages, &resident) == 2, "no /proc/self/statm");
  fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

static void one_round(int i) {
  const int root = i % world_size;
  int value = world_rank == root ? i * 3 : -1, mine = i + world_rank, sum = -1, all[64];
  MPI_Bcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD);
  CHECK(value == i * 3, "round %d: broadcast brought %d", i, value);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(sum == world_size * i + world_size * (world_size - 1) / 2, "round %d: sum %d", i, sum);
  MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < world_size; r++) CHECK(all[r] == i + r, "round %d: block %d holds %d", i, r, all[r]);
}

int main(int argc, char** argv) {
  long start = 0;
  uint64_t random;
  check_start(&argc, &argv);
  const int rounds = 1 + (argc > 1 ? atoi(argv[1]) : 1000000) / 3;
  CHECK(world_size <= 64 && rounds > 0, "%d ranks, %d rounds", world_size, rounds);
  random = (uint64_t)world_rank + 1;
  for (int i = 0; i < rounds; i++) {
    random = mix(random + 0x9e3779b9u);
    if (random % 1000 == 0) usleep((useconds_t)(random >> 20) % 200);
    one_round(i);
    if (i == rounds / 10) start = resident_bytes();
  }
  const long grown = resident_bytes() - start;
  CHECK(grown < growth_at_most, "memory grew by %ld bytes", grown);
  return check_finish();
}
