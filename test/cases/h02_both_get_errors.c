// SPDX-License-Identifier: BSD-3-Clause
// Case H02: when ranks differ in a collective those that can know get an error through their own handler, in this call or in the
// next one on the communicator; nobody waits for ever, and everything else stays usable.
// run: np=2,3,4,5,8 timeout=60
// run: np=2,4,5,8 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

static int in[100000], out[400000];

enum { wrong_operation, wrong_op, wrong_type, wrong_count, wrong_path, wrong_root, wrong_form, ways };

// The call of the odd rank 1, and of all others.
static int call(int way, int odd, MPI_Comm comm) {
  MPI_Request request;
  switch (way) {
    case wrong_operation:
      return odd ? MPI_Bcast(in, 10, MPI_INT, 0, comm) : MPI_Allreduce(in, out, 10, MPI_INT, MPI_SUM, comm);
    case wrong_op:
      return MPI_Allreduce(in, out, 10, MPI_INT, odd ? MPI_MAX : MPI_SUM, comm);
    case wrong_type:
      return MPI_Allreduce(in, out, 10, odd ? MPI_FLOAT : MPI_INT, MPI_SUM, comm);
    case wrong_count:
      return MPI_Allreduce(in, out, odd ? 9 : 10, MPI_INT, MPI_SUM, comm);
    case wrong_path:  // a small one and a large one
      return MPI_Allreduce(in, out, odd ? 10 : 100000, MPI_INT, MPI_SUM, comm);
    case wrong_root:  // a root waits for nobody
      return MPI_Bcast(in, 10, MPI_INT, odd ? 1 : 0, comm);
    default: {
      const int code = odd ? MPI_Ibcast(in, 10, MPI_INT, 0, comm, &request) : MPI_Iallreduce(in, out, 10, MPI_INT, MPI_SUM, comm, &request);
      if (code != MPI_SUCCESS) return code;
      return MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
}

int main(int argc, char **argv) {
  check_start(&argc, &argv);
  for (int way = 0; way < ways; ++way) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int i = 0; i < 5; ++i) CHECK(MPI_Barrier(comm) == MPI_SUCCESS, "barrier %d, way %d", i, way);
    const int code = call(way, world_rank == 1, comm);
    const int later = MPI_Barrier(comm), known = code != MPI_SUCCESS ? code : later;
    CHECK(error_class(known) != MPI_ERR_IN_STATUS, "way %d: %s", way, error_text(known));
    int noticed = known != MPI_SUCCESS, all_noticed = 0;
    CHECK(MPI_Allreduce(&noticed, &all_noticed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS, "way %d", way);
    CHECK(all_noticed > 0, "nobody got an error, way %d", way);
    // The world is well: other communicators, other messages.
    int mine = world_rank, sum = 0;
    CHECK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS, "way %d", way);
    CHECK(sum == world_size * (world_size - 1) / 2, "sum %d, way %d", sum, way);
    int from = -1;
    MPI_Sendrecv(&mine, 1, MPI_INT, (world_rank + 1) % world_size, way, &from, 1, MPI_INT, (world_rank + world_size - 1) % world_size,
                 way, comm, MPI_STATUS_IGNORE);
    CHECK(from == (world_rank + world_size - 1) % world_size, "from %d, way %d", from, way);
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS, "free, way %d", way);
  }
  return check_finish();
}
