// SPDX-License-Identifier: BSD-3-Clause
// Case P06: one message of 2^31 + 7 and of 2^32 bytes, through a large contiguous type and through the calls with MPI_Count.
// The sender's memory is one piece of 64 MiB and a page mapped again and again: its period divides no power of two, so that
// an
// offset that wraps at 2^31 or 2^32 is seen, and the case needs memory for the receiver alone.
// run: np=2 timeout=300 mem=5
// run: np=2 timeout=300 mem=5 env=OMPI_LITE_TRANSPORTS=self,tcp
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "../support/check.h"

static const size_t period = (64u << 20) + 4096, largest = (size_t)1 << 32;

static char* repeated_pattern(void) {
  const int memory = memfd_create("pattern", 0);
  const size_t whole = (largest / period + 1) * period;
  CHECK(memory >= 0 && ftruncate(memory, (off_t)period) == 0, "memfd of %zu bytes", period);
  char* base = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(base != MAP_FAILED, "no address space for %zu bytes", whole);
  for (size_t at = 0; at < whole; at += period) {
    void* piece = mmap(base + at, period, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0);
    CHECK(piece == base + at, "piece at %zu", at);
  }
  close(memory);
  fill_pattern(base, period, 3);
  return base;
}

static void check_received(const char* buffer, const char* piece, size_t bytes) {
  for (size_t at = 0; at < bytes; at += period) {
    const size_t part = bytes - at < period ? bytes - at : period;
    CHECK(memcmp(buffer + at, piece, part) == 0, "wrong data in the %zu bytes from %zu", part, at);
  }
}

static void check_status(MPI_Status* status, size_t bytes, MPI_Datatype type, int count) {
  MPI_Count elements = -1;
  int got = -1;
  MPI_Get_count(status, type, &got);
  CHECK(got == count, "MPI_Get_count %d, expected %d", got, count);
  MPI_Get_elements_x(status, type, &elements);
  CHECK((size_t)elements == bytes, "MPI_Get_elements_x %lld, expected %zu", (long long)elements, bytes);
  MPI_Get_count(status, MPI_BYTE, &got);
  CHECK(got == MPI_UNDEFINED, "MPI_Get_count in bytes %d, expected MPI_UNDEFINED", got);
}

static void by_type(char* buffer, int block, int count) {
  const size_t bytes = (size_t)block * (size_t)count;
  MPI_Datatype type;
  MPI_Status status;
  MPI_Type_contiguous(block, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  if (world_rank == 0) {
    MPI_Send(buffer, count, type, 1, 1, MPI_COMM_WORLD);
  } else {
    MPI_Recv(buffer, count, type, 0, 1, MPI_COMM_WORLD, &status);
    check_status(&status, bytes, type, count);
  }
  MPI_Type_free(&type);
}

static void by_count(char* buffer, size_t bytes) {
#if MPI_VERSION >= 4
  MPI_Count got = -1;
  MPI_Status status;
  if (world_rank == 0) {
    MPI_Send_c(buffer, (MPI_Count)bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
  } else {
    MPI_Recv_c(buffer, (MPI_Count)bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &status);
    MPI_Get_count_c(&status, MPI_BYTE, &got);
    CHECK((size_t)got == bytes, "MPI_Get_count_c %lld, expected %zu", (long long)got, bytes);
  }
#else
  (void)buffer;
  (void)bytes;
#endif
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  char* pattern = repeated_pattern();
  char* buffer = world_rank == 0
                     ? pattern
                     : mmap(NULL, largest, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(buffer != MAP_FAILED, "no memory for %zu bytes", largest);
  const struct { int block, count; } sizes[] = {{5, 429496731}, {1 << 20, 4096}};
  for (int i = 0; i < 2; i++) {
    const size_t bytes = (size_t)sizes[i].block * (size_t)sizes[i].count;
    by_type(buffer, sizes[i].block, sizes[i].count);
    if (world_rank == 1) check_received(buffer, pattern, bytes);
    if (world_rank == 1) memset(buffer, 0, bytes);
    by_count(buffer, bytes);
    if (world_rank == 1 && MPI_VERSION >= 4) check_received(buffer, pattern, bytes);
  }
  return check_finish();
}
