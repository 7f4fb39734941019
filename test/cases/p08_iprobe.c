// SPDX-License-Identifier: BSD-3-Clause
// Case P08: MPI_Iprobe finds a message that has been sent at the first or second call, also when its sender is in
// MPI_Finalize already.
// run: np=2 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <unistd.h>

#include "../support/check.h"

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank == 0) {
    const int value = 42;
    MPI_Send(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
  } else {
    int calls = 0, found = 0, got = 0;
    usleep(200000);  // the message has been sent by now
    while (!found) {
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
      calls++;
      if (!found) usleep(50000);
    }
    CHECK(calls <= 2, "found at call %d", calls);
    MPI_Recv(&got, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(got == 42, "got %d", got);
  }
  MPI_Finalize();
  if (world_rank == 0) puts("ok");
  return 0;
}
