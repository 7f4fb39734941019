// SPDX-License-Identifier: BSD-3-Clause
// Case C23: communicators can be made and freed for ever in flat memory; too many at a time work or give the same error on
// all ranks.
// run: np=2,4 timeout=300
// run: np=2 timeout=300 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <unistd.h>

#include "../support/check.h"

enum { freed = 50000, kept = 40000, growth_at_most = 16 << 20 };

static long resident_bytes(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%ld %ld", &pages, &resident) == 2, "no /proc/self/statm");
  fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

static void make_and_free(void) {
  MPI_Comm dup, half;
  int sum = -1;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_split(dup, world_rank % 2, world_rank, &half);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, dup);
  CHECK(sum == world_size * (world_size - 1) / 2, "sum %d", sum);
  MPI_Comm_free(&dup);
  MPI_Comm_free(&half);
}

int main(int argc, char** argv) {
  long start = 0;
  check_start(&argc, &argv);
  for (int i = 0; i < freed; i++) {
    make_and_free();
    if (i == freed / 10) start = resident_bytes();
  }
  const long grown = resident_bytes() - start;
  CHECK(grown < growth_at_most, "memory grew by %ld bytes", grown);

  MPI_Comm* comms = must_alloc(sizeof(MPI_Comm) * kept);
  int made = 0, least = 0, most = 0, code = MPI_SUCCESS;
  errors_return(MPI_COMM_WORLD);
  while (made < kept && (code = MPI_Comm_dup(MPI_COMM_WORLD, &comms[made])) == MPI_SUCCESS) made++;
  int mine[2] = {made, error_class(code)}, low[2], high[2];
  MPI_Allreduce(mine, low, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(mine, high, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  least = low[0];
  most = high[0];
  CHECK(least == most && low[1] == high[1], "between %d and %d made, classes %d and %d", least, most, low[1], high[1]);
  for (int i = made - 1; i >= 0; i--) MPI_Comm_free(&comms[i]);
  make_and_free();
  free(comms);
  return check_finish();
}
