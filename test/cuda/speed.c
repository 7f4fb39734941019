// SPDX-License-Identifier: BSD-3-Clause
// Ping-pong between two ranks with host and device buffers: microseconds one way and megabytes a second, the best of some rounds.
#include <check.h>
#include <device.h>

static double one_way_us(void* buffer, int bytes) {
  const int other = 1 - world_rank, times = bytes < 65536 ? 100 : 10;
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < times; ++i) {
      if (world_rank == 0) MPI_Send(buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
      MPI_Recv(buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (world_rank == 1) MPI_Send(buffer, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD);
    }
    const double time = (MPI_Wtime() - begin) / times / 2 * 1e6;
    if (time < best) best = time;
  }
  return best;
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  CHECK(world_size == 2, "run it with 2 ranks");
  CHECK(device_begin(world_rank), "no device");
  enum { largest = 1 << 24 };
  void *host = space_alloc(in_host, largest), *device = space_alloc(in_device, largest);
  memset(host, 1, largest);
  space_copy(device, host, largest);
  if (world_rank == 0) printf("%10s %12s %12s %12s\n", "bytes", "host us", "device us", "device MB/s");
  for (int bytes = 8; bytes <= largest; bytes *= 8) {
    const double on_host = one_way_us(host, bytes), on_device = one_way_us(device, bytes);
    if (world_rank == 0) printf("%10d %12.2f %12.2f %12.0f\n", bytes, on_host, on_device, bytes / on_device);
  }
  space_free(in_device, device);
  space_free(in_host, host);
  if (world_rank == 0) puts("ok");
  MPI_Finalize();
  return 0;
}
