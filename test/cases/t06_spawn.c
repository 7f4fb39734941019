// SPDX-License-Identifier: BSD-3-Clause
// Case T06: 2 parents spawn 4 children where there are 2 cores, merge, all-reduce, disconnect; again and again. Descriptors,
// mappings and memory of the parents stay flat.
// run: np=2 timeout=240
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/check.h"

enum { CHILDREN = 4, ROUNDS = 200, SETTLED = 20 };

static int descriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

static int mappings(void) {
  int count = 0;
  char line[4096];
  FILE *file = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, file) != NULL) count++;
  fclose(file);
  return count;
}

static long resident_kb(void) {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  fclose(file);
  return resident * 4;
}

static void sum_and_part(MPI_Comm inter, int high) {
  MPI_Comm all;
  int rank, size, sum = 0;
  MPI_Intercomm_merge(inter, high, &all);
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
  CHECK(sum == size * (size - 1) / 2, "sum %d of %d ranks", sum, size);
  MPI_Comm_disconnect(&all);
  CHECK(all == MPI_COMM_NULL, "the merged communicator is still there");
  MPI_Comm_disconnect(&inter);
  CHECK(inter == MPI_COMM_NULL, "the intercommunicator is still there");
}

int main(int argc, char **argv) {
  MPI_Comm parent;
  check_start(&argc, &argv);
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    int size;
    MPI_Comm_remote_size(parent, &size);
    CHECK(size == 2, "%d parents", size);
    sum_and_part(parent, 1);
    MPI_Comm_get_parent(&parent);
    CHECK(parent == MPI_COMM_NULL, "the parents are still there");
    MPI_Finalize();
    return 0;
  }
  const int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS, settled = rounds > 2 * SETTLED ? SETTLED : rounds / 2;
  int fds = 0, maps = 0;
  long kb = 0;
  for (int round = 0; round < rounds; round++) {
    MPI_Comm children;
    int codes[CHILDREN], size;
    for (int i = 0; i < CHILDREN; i++) codes[i] = -1;
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, codes);
    for (int i = 0; i < CHILDREN; i++) CHECK(codes[i] == MPI_SUCCESS, "code %d is %d", i, codes[i]);
    MPI_Comm_remote_size(children, &size);
    CHECK(size == CHILDREN, "%d children", size);
    sum_and_part(children, 0);
    if (round == settled) {
      fds = descriptors();
      maps = mappings();
      kb = resident_kb();
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0)
    printf("rank %d: descriptors %d, at the end %d; mappings %d, %d; resident %ld KiB, %ld KiB\n", world_rank, fds,
           descriptors(), maps, mappings(), kb, resident_kb());
  CHECK(descriptors() <= fds + CHILDREN, "%d descriptors were %d", descriptors(), fds);  // the last goodbyes may be on their way
  CHECK(mappings() <= maps + 4, "%d mappings were %d", mappings(), maps);
  CHECK(resident_kb() <= kb + 1024, "%ld KiB were %ld", resident_kb(), kb);
  return check_finish();
}
