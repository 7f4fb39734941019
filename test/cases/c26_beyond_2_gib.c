// SPDX-License-Identifier: BSD-3-Clause
// Case C26: collectives that move more than 2 GiB in total: right data, or MPI_ERR_NO_MEM.
// run: np=2 timeout=300 mem=8
#define _GNU_SOURCE
#include <limits.h>
#include <sys/mman.h>

#include "../support/check.h"

static char* pages(size_t bytes) {
  char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(memory != MAP_FAILED, "no address space for %zu bytes", bytes);
  return memory;
}

// Says whether the call did its work; it may lack memory, and then on every rank.
static int worked(int code) {
  int mine = code == MPI_SUCCESS, all = 0;
  CHECK(mine || error_class(code) == MPI_ERR_NO_MEM, "%s", error_text(code));
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all;
}

static void bcast(void) {
  const size_t bytes = sizeof(int) << 29;
  char* data = pages(bytes);
  if (world_rank == 0) fill_pattern(data, bytes, 1);
  if (worked(MPI_Bcast(data, 1 << 29, MPI_INT, 0, MPI_COMM_WORLD))) CHECK_PATTERN(data, bytes, 1);
  munmap(data, bytes);
}

static void gather(void) {
  const int count = 1100000000;
  const size_t block = (size_t)count;
  char *mine = pages(block), *all = world_rank == 0 ? pages(block * (size_t)world_size) : NULL;
  fill_pattern(mine, block, (uint64_t)world_rank + 2);
  if (worked(MPI_Gather(mine, count, MPI_BYTE, all, count, MPI_BYTE, 0, MPI_COMM_WORLD)))
    for (int r = 0; r < world_size && world_rank == 0; r++) CHECK_PATTERN(all + (size_t)r * block, block, (uint64_t)r + 2);
  munmap(mine, block);
  if (all) munmap(all, block * (size_t)world_size);
}

// Displacements near INT_MAX: in bytes, and in units of eight, where the product leaves 32 bits.
static void gatherv(MPI_Datatype type, size_t unit) {
  const int counts[2] = {10, 10}, places[2] = {0, INT_MAX - 20};
  const size_t bytes = ((size_t)INT_MAX + 1) * unit;
  char mine[80], *all = world_rank == 0 ? pages(bytes) : NULL;
  fill_pattern(mine, sizeof mine, (uint64_t)world_rank + 5);
  if (worked(MPI_Gatherv(mine, 10, type, all, counts, places, type, 0, MPI_COMM_WORLD)) && world_rank == 0)
    for (int r = 0; r < 2; r++) CHECK_PATTERN(all + (size_t)places[r] * unit, 10 * unit, (uint64_t)r + 5);
  if (all) munmap(all, bytes);
}

static void alltoall_in_place(void) {
  const int count = 1200000000;
  const size_t block = (size_t)count;
  char* data = pages(block * 2);
  for (int r = 0; r < 2; r++) fill_pattern(data + (size_t)r * block, block, (uint64_t)(10 + 2 * world_rank + r));
  if (worked(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, count, MPI_BYTE, MPI_COMM_WORLD)))
    for (int r = 0; r < 2; r++) CHECK_PATTERN(data + (size_t)r * block, block, (uint64_t)(10 + 2 * r + world_rank));
  munmap(data, block * 2);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  errors_return(MPI_COMM_WORLD);
  bcast();
  gather();
  gatherv(MPI_BYTE, 1);
  gatherv(MPI_DOUBLE, 8);
  alltoall_in_place();
  return check_finish();
}
