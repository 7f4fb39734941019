// SPDX-License-Identifier: BSD-3-Clause
// Case P05: a pair of nonblocking messages of every size around each change of protocol arrives whole, as does a size found
// by users.
// run: np=2 timeout=120
// run: np=2 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
// run: np=2 timeout=120 env=OMPI_LITE_TRANSPORTS=self,ofi
#include "../support/check.h"

enum { largest = 6185593 };

static char *out, *in;

static void exchange(int bytes) {
  const int peer = 1 - world_rank;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int got = -1;
  fill_pattern(out, (size_t)bytes, (uint64_t)(2 * bytes + world_rank));
  memset(in, 0x77, (size_t)bytes + 8);
  MPI_Irecv(in, bytes + 8, MPI_BYTE, peer, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, bytes, MPI_BYTE, peer, 5, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  MPI_Get_count(&statuses[0], MPI_BYTE, &got);
  CHECK(got == bytes, "%d bytes, expected %d", got, bytes);
  CHECK_PATTERN(in, (size_t)bytes, (uint64_t)(2 * bytes + peer));
  for (int i = 0; i < 8; i++) CHECK(in[bytes + i] == 0x77, "byte %d beyond a message of %d bytes was written", i, bytes);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  out = must_alloc(largest + 8);
  in = must_alloc(largest + 16);
  for (int bytes = 0; bytes <= 600; bytes++) exchange(bytes);
  for (int power = 1024; power <= 4 << 20;
       power *= 2) {  // a protocol may keep a header of up to 128 bytes back from a round size
    const int step = power <= 65536 ? 1 : 17;
    for (int bytes = power - 130; bytes <= power + 34; bytes += step) exchange(bytes);
  }
  exchange(largest - 1);
  exchange(largest);
  free(out);
  free(in);
  return check_finish();
}
