// SPDX-License-Identifier: BSD-3-Clause
// Case P11: MPI_TAG_UB is usable as a tag, one more is MPI_ERR_TAG, on every kind of communicator.
// run: np=2,3 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <limits.h>

#include "../support/check.h"

static void try_tags(MPI_Comm comm) {
  int *upper = NULL, flag = 0, rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &upper, &flag);
  if (!flag) MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &flag);  // the standard promises it on MPI_COMM_WORLD
  CHECK(flag && upper != NULL, "no MPI_TAG_UB");
  CHECK(*upper >= 32767, "MPI_TAG_UB %d", *upper);
  const int tags[] = {0, 1, 32767, *upper - 1, *upper};
  for (int i = 0; i < 5; i++) {
    const int right = (rank + 1) % size, left = (rank + size - 1) % size, out = 100 * i + rank;
    int in = -1;
    MPI_Status status;
    MPI_Sendrecv(&out, 1, MPI_INT, right, tags[i], &in, 1, MPI_INT, left, tags[i], comm, &status);
    CHECK(in == 100 * i + left && status.MPI_TAG == tags[i], "tag %d: value %d, status tag %d", tags[i], in, status.MPI_TAG);
  }
  errors_return(comm);
  const int value = 1;
  const int too_big = *upper == INT_MAX ? -77 : *upper + 1;  // one more than INT_MAX cannot be written: take another bad tag
  CHECK_CLASS(MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, too_big, comm), MPI_ERR_TAG);
  CHECK_CLASS(MPI_Recv((void*)&value, 1, MPI_INT, (rank + 1) % size, too_big, comm, MPI_STATUS_IGNORE), MPI_ERR_TAG);
}

int main(int argc, char** argv) {
  MPI_Comm dup, half;
  check_start(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_split(MPI_COMM_WORLD, world_rank == 2, -world_rank, &half);
  try_tags(MPI_COMM_WORLD);
  try_tags(dup);
  try_tags(half);
  MPI_Comm_free(&dup);
  MPI_Comm_free(&half);
  return check_finish();
}
