// SPDX-License-Identifier: BSD-3-Clause
// Case H03: one buffer given twice, or MPI_IN_PLACE in the wrong place, is MPI_ERR_BUFFER; never silent zeroes.
// Every rank makes the same mistake, so that all see the error before anything is sent.
// run: np=1,2,3 timeout=60
#include "../support/check.h"

int main(int argc, char** argv) {
  int data[64], other[64], counts[16], zeros[16];
  check_start(&argc, &argv);
  const MPI_Comm c = MPI_COMM_WORLD;
  for (int i = 0; i < 64; i++) data[i] = other[i] = i;
  for (int r = 0; r < 16; r++) counts[r] = 1, zeros[r] = 0;
  errors_return(c);

  CHECK_CLASS(MPI_Allreduce(data, data, 4, MPI_INT, MPI_SUM, c), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Allreduce(data, MPI_IN_PLACE, 4, MPI_INT, MPI_SUM, c), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Scan(data, data, 4, MPI_INT, MPI_SUM, c), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Exscan(data, data, 4, MPI_INT, MPI_SUM, c), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Alltoall(data, 1, MPI_INT, data, 1, MPI_INT, c), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Allgather(data, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, c), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Reduce_scatter_block(data, data, 1, MPI_INT, MPI_SUM, c), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Reduce_scatter(data, MPI_IN_PLACE, counts, MPI_INT, MPI_SUM, c), MPI_ERR_BUFFER);
  MPI_Request request = MPI_REQUEST_NULL;  // the nonblocking and persistent forms refuse when they are called
  CHECK_CLASS(MPI_Ireduce_scatter(data, data, counts, MPI_INT, MPI_SUM, c, &request), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Ireduce_scatter(data, MPI_IN_PLACE, counts, MPI_INT, MPI_SUM, c, &request), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Reduce_scatter_init(data, data, counts, MPI_INT, MPI_SUM, c, MPI_INFO_NULL, &request), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Ireduce_scatter_block(data, data, 1, MPI_INT, MPI_SUM, c, &request), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Iallreduce(data, data, 1, MPI_INT, MPI_SUM, c, &request), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Allreduce_init(data, data, 1, MPI_INT, MPI_SUM, c, MPI_INFO_NULL, &request), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Alltoallv(data, counts, zeros, MPI_INT, MPI_IN_PLACE, counts, zeros, MPI_INT, c), MPI_ERR_BUFFER);
  CHECK_CLASS(MPI_Bcast(MPI_IN_PLACE, 4, MPI_INT, 0, c), MPI_ERR_BUFFER);
  if (world_size == 1) {  // only the root sees these
    CHECK_CLASS(MPI_Reduce(data, data, 4, MPI_INT, MPI_SUM, 0, c), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Gather(data, 1, MPI_INT, data, 1, MPI_INT, 0, c), MPI_ERR_BUFFER);
    CHECK_CLASS(MPI_Scatter(data, 1, MPI_INT, data, 1, MPI_INT, 0, c), MPI_ERR_BUFFER);
  }
  for (int i = 0; i < 64; i++) CHECK(data[i] == i, "element %d became %d", i, data[i]);

  CHECK_CLASS(MPI_Allreduce(data, data, 0, MPI_INT, MPI_SUM, c), MPI_SUCCESS);  // nothing is there to overlap
  CHECK_CLASS(MPI_Allreduce(data, other, 4, MPI_INT, MPI_SUM, c), MPI_SUCCESS);
  for (int i = 0; i < 4; i++) CHECK(other[i] == i * world_size, "after the errors: element %d is %d", i, other[i]);
  return check_finish();
}
