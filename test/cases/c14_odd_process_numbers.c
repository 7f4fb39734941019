// SPDX-License-Identifier: BSD-3-Clause
// Case C14: broadcast and all-gather of every size with every number of ranks and every root.
// run: np=1,2,3,4,5,6,7,8,9 timeout=180
// run: np=2,3,5 timeout=180 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"
#include "../support/forms.h"

static void bcast(int form, char* data, int bytes, int root) {
  MPI_Request request;
  memset(data, 0, (size_t)bytes);
  if (world_rank == root) fill_pattern(data, (size_t)bytes, (uint64_t)(bytes + root));
  if (form == blocking_form) MPI_Bcast(data, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
  if (form == nonblocking_form) MPI_Ibcast(data, bytes, MPI_BYTE, root, MPI_COMM_WORLD, &request);
  if (form == persistent_form) MPI_Bcast_init(data, bytes, MPI_BYTE, root, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  end_form(form, &request);
  CHECK_PATTERN(data, (size_t)bytes, (uint64_t)(bytes + root));
}

static void allgather(int form, char* block, char* all, int bytes) {
  MPI_Request request;
  fill_pattern(block, (size_t)bytes, (uint64_t)(bytes + world_rank));
  memset(all, 0, (size_t)bytes * (size_t)world_size);
  if (form == blocking_form) MPI_Allgather(block, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
  if (form == nonblocking_form) MPI_Iallgather(block, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD, &request);
  if (form == persistent_form)
    MPI_Allgather_init(block, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  end_form(form, &request);
  for (int r = 0; r < world_size; r++) CHECK_PATTERN(all + (size_t)r * (size_t)bytes, (size_t)bytes, (uint64_t)(bytes + r));
}

int main(int argc, char** argv) {
  const int sizes[] = {1, 3, 8, 17, 64, 100, 1000, 1024, 4096, 8191, 32000, 32768, 65536, 100003, 262144, 1 << 20};
  check_start(&argc, &argv);
  char *block = must_alloc(1 << 20), *all = must_alloc((size_t)world_size << 20);
  for (int k = 0; k < 16; k++) {
    for (int form = 0; form < all_forms; form++) {
      for (int root = 0; root < world_size; root++) bcast(form, block, sizes[k], root);
      allgather(form, block, all, sizes[k]);
    }
  }
  free(block);
  free(all);
  return check_finish();
}
