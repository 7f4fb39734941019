// SPDX-License-Identifier: BSD-3-Clause
// Case P07: a flood of unexpected small messages is kept whole in bounded memory a message, and the memory comes back: later
// rounds do not grow.
// run: np=2 timeout=180 mem=3
// run: np=2 timeout=180 mem=3 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <malloc.h>
#include <unistd.h>

#include "../support/check.h"

enum { messages = 1000000, reversed = 100000, rounds = 5, bytes_a_message_at_most = 512 };

static long resident_bytes(void) {
  long pages = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  CHECK(file != NULL && fscanf(file, "%ld %ld", &pages, &resident) == 2, "no /proc/self/statm");
  fclose(file);
  return resident * sysconf(_SC_PAGESIZE);
}

static void flood(int round, long start) {
  if (world_rank == 0) {
    for (int64_t i = 0; i < messages; i++) MPI_Send(&i, 1, MPI_INT64_T, 1, 3, MPI_COMM_WORLD);
    MPI_Send(NULL, 0, MPI_BYTE, 1, 4, MPI_COMM_WORLD);
    return;
  }
  sleep(round == 0 ? 5 : 1);
  MPI_Recv(NULL, 0, MPI_BYTE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // the whole flood lies unexpected now
  const long grown = resident_bytes() - start;
  CHECK(grown <= (long)messages * bytes_a_message_at_most, "round %d: %ld bytes a message", round, grown / messages);
  for (int64_t i = 0; i < messages; i++) {
    int64_t got = -1;
    MPI_Recv(&got, 1, MPI_INT64_T, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == i, "message %lld brought %lld", (long long)i, (long long)got);
  }
}

// A search of the whole queue for every tag is quadratic, which the standard allows; the time limit bears it at this length.
static void reversed_tags(void) {
  if (world_rank == 0) {
    for (int tag = 0; tag < reversed; tag++) MPI_Send(&tag, 1, MPI_INT, 1, 10 + tag, MPI_COMM_WORLD);
    MPI_Send(NULL, 0, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
    return;
  }
  MPI_Recv(NULL, 0, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int tag = reversed - 1; tag >= 0; tag--) {
    int got = -1;
    MPI_Recv(&got, 1, MPI_INT, 0, 10 + tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == tag, "tag %d brought %d", tag, got);
  }
}

int main(int argc, char** argv) {
  long first_peak = 0;
  check_start(&argc, &argv);
  const long start = resident_bytes();
  for (int round = 0; round < rounds; round++) {
    flood(round, start);
    MPI_Barrier(MPI_COMM_WORLD);
    if (round == 0) first_peak = resident_bytes() - start;
  }
  malloc_trim(0);
  const long left = resident_bytes() - start;
  CHECK(left <= first_peak + (32 << 20), "memory grows: %ld bytes after one round, %ld after %d", first_peak, left, rounds);
  reversed_tags();
  return check_finish();
}
