// SPDX-License-Identifier: BSD-3-Clause
// Case P03: both ranks start a large send, then post the receive, then wait for the send first.
// run: np=2 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,ofi
#include "../support/check.h"

static int bytes_from(int rank, int step) { return (rank == 0 ? 1 << 20 : (3 << 20) + 17) + step * 4099; }

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  for (int step = 0; step < 20; step++) {
    const int peer = 1 - world_rank, bytes_out = bytes_from(world_rank, step), bytes_in = bytes_from(peer, step);
    char *out = must_alloc((size_t)bytes_out), *in = must_alloc((size_t)bytes_in);
    MPI_Request send, receive;
    MPI_Status status;
    int got = 0;
    fill_pattern(out, (size_t)bytes_out, (uint64_t)(step * 2 + world_rank));
    MPI_Isend(out, bytes_out, MPI_BYTE, peer, step, MPI_COMM_WORLD, &send);
    MPI_Irecv(in, bytes_in, MPI_BYTE, peer, step, MPI_COMM_WORLD, &receive);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Wait(&receive, &status);
    MPI_Get_count(&status, MPI_BYTE, &got);
    CHECK(got == bytes_in, "%d bytes, expected %d", got, bytes_in);
    CHECK_PATTERN(in, (size_t)bytes_in, (uint64_t)(step * 2 + peer));
    free(out);
    free(in);
  }
  return check_finish();
}
