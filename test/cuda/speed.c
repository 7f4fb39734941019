// SPDX-License-Identifier: BSD-3-Clause
// speed messages: ping-pong between two ranks with host buffers, device buffers, and device buffers of a type with gaps.
// speed collectives: all-reduce, all-gather and all-to-all on device buffers, and a reduction by a kernel.
// Microseconds (one way, or a call) and megabytes a second, the best of some rounds.
#include <check.h>
#include <device.h>

enum { largest = 1 << 26, rounds = 5 };
static MPI_Datatype gaps;  // 8 bytes of every 16

static void* buffer_in(enum space space, size_t bytes) {
  void *made = space_alloc(space, bytes), *image = must_alloc(bytes);
  memset(image, 1, bytes);
  space_copy(made, image, bytes);
  free(image);
  return made;
}

static double one_way_us(void* buffer, int count, MPI_Datatype type) {
  int bytes;
  MPI_Type_size(type, &bytes);
  const int other = 1 - world_rank, times = (long)count * bytes < 65536 ? 100 : 10;
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < times; ++i) {
      if (world_rank == 0) MPI_Send(buffer, count, type, other, 1, MPI_COMM_WORLD);
      MPI_Recv(buffer, count, type, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (world_rank == 1) MPI_Send(buffer, count, type, other, 1, MPI_COMM_WORLD);
    }
    const double time = (MPI_Wtime() - begin) / times / 2 * 1e6;
    if (time < best) best = time;
  }
  return best;
}

static void messages(void) {
  void *host = buffer_in(in_host, largest), *device = buffer_in(in_device, 2 * (size_t)largest);
  if (world_rank == 0) printf("%10s %12s %12s %12s %12s %12s\n", "bytes", "host us", "device us", "device MB/s", "gaps us", "gaps MB/s");
  for (int bytes = 8; bytes <= largest; bytes *= 2) {
    const double on_host = one_way_us(host, bytes, MPI_BYTE), on_device = one_way_us(device, bytes, MPI_BYTE);
    const double with_gaps = one_way_us(device, bytes / 8, gaps);
    if (world_rank == 0)
      printf("%10d %12.2f %12.2f %12.0f %12.2f %12.0f\n", bytes, on_host, on_device, bytes / on_device, with_gaps, bytes / with_gaps);
  }
  space_free(in_device, device);
  space_free(in_host, host);
}

static double call_us(int which, void* from, void* to, int n) {
  const int times = n < 16384 ? 50 : 5;
  double best = 1e9, slowest;
  for (int round = 0; round < rounds; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < times; ++i) {
      if (which == 0) MPI_Allreduce(from, to, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      if (which == 1) MPI_Allgather(from, n / world_size, MPI_FLOAT, to, n / world_size, MPI_FLOAT, MPI_COMM_WORLD);
      if (which == 2) MPI_Alltoall(from, n / world_size, MPI_FLOAT, to, n / world_size, MPI_FLOAT, MPI_COMM_WORLD);
      if (which == 3) MPI_Reduce_local(from, to, n, MPI_FLOAT, MPI_SUM);
    }
    const double time = (MPI_Wtime() - begin) / times * 1e6;
    MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (slowest < best) best = slowest;
  }
  return best;
}

static void collectives(void) {
  static const char* const names[] = {"allreduce", "allgather", "alltoall", "reduce_local"};
  void *from = buffer_in(in_device, largest), *to = buffer_in(in_device, largest);
  if (world_rank == 0) printf("%14s %10s %12s %12s\n", "", "bytes", "us", "MB/s");
  for (int which = 0; which < 4; ++which)
    for (int n = 16; n <= largest / 4; n *= 16) {
      const double us = call_us(which, from, to, n);
      if (world_rank == 0) printf("%14s %10d %12.2f %12.0f\n", names[which], 4 * n, us, 4.0 * n / us);
    }
  space_free(in_device, to);
  space_free(in_device, from);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  CHECK(device_begin(world_rank), "no device");
  MPI_Type_vector(1, 8, 16, MPI_BYTE, &gaps);
  MPI_Type_create_resized(gaps, 0, 16, &gaps);
  MPI_Type_commit(&gaps);
  if (argc > 1 && strcmp(argv[1], "collectives") == 0) {
    collectives();
  } else {
    CHECK(world_size == 2, "run it with 2 ranks");
    messages();
  }
  return check_finish();
}
