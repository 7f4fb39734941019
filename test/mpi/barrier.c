// SPDX-License-Identifier: BSD-3-Clause
// MPI_Barrier: no rank leaves before the last has come.
// run: np=1,2,3,4,5,7,8 timeout=120
// run: np=2,3,5 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/comms.h"

// Each rank in turn comes late; its message, sent before it comes, must be there when the others have left.
static void late_rank(MPI_Comm comm) {
  for (int late = 0; late < size; late++) {
    if (rank == late) {
      const double start = MPI_Wtime();
      while (MPI_Wtime() - start < 0.01) continue;
      for (int r = 0; r < size; r++)
        if (r != rank) MPI_Send(&late, 1, MPI_INT, r, late, comm);
    }
    MPI_Barrier(comm);
    if (rank != late) {
      int found = 0, got = -1;
      for (int i = 0; i < 1000 && !found; i++) MPI_Iprobe(late, late, comm, &found, MPI_STATUS_IGNORE);
      CHECK(found, "rank %d left the barrier before rank %d had come", rank, late);
      MPI_Recv(&got, 1, MPI_INT, late, late, comm, MPI_STATUS_IGNORE);
    }
  }
}

static void many_in_a_row(MPI_Comm comm) {
  for (int i = 0; i < 2000; i++) MPI_Barrier(comm);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  run_on_many(late_rank);
  run_on_many(many_in_a_row);
  return check_finish();
}
