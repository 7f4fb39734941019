// SPDX-License-Identifier: BSD-3-Clause
// Case C06: reduce-scatter with a non-commutative operation, unequal and zero counts, gaps between the elements.
// run: np=1,2,3,4,5,7,8 timeout=120
// run: np=2,3,5 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "matrix_product.h"

static void check_block(const struct Layout* l, const char* buffer, int first, int count, const char* what) {
  for (int i = 0; i < count; i++) {
    const struct Matrix got = get(l, buffer, i), right = product_of_all(world_size, first + i);
    CHECK(same(got, right), "%s, element %d of %d: %d %d %d %d, expected %d %d %d %d", what, i, count, got.e[0], got.e[1],
          got.e[2], got.e[3], right.e[0], right.e[1], right.e[2], right.e[3]);
  }
  check_gaps(l, buffer, count);
}

static void unequal(const struct Layout* l, MPI_Op op, int scale) {
  int counts[16], total = 0, first = 0;
  for (int r = 0; r < world_size; r++) {
    counts[r] = r % 3 == 1 ? 0 : scale * (r + 1);
    if (r < world_rank) first += counts[r];
    total += counts[r];
  }
  char *mine = new_buffer(l, total, world_rank), *result = new_buffer(l, counts[world_rank], -1);
  MPI_Reduce_scatter(mine, result, counts, l->type, op, MPI_COMM_WORLD);
  check_block(l, result, first, counts[world_rank], "MPI_Reduce_scatter");
  MPI_Reduce_scatter(MPI_IN_PLACE, mine, counts, l->type, op, MPI_COMM_WORLD);
  check_block(l, mine, first, counts[world_rank], "MPI_Reduce_scatter in place");
  free(mine);
  free(result);
}

static void blocks(const struct Layout* l, MPI_Op op, int count) {
  char *mine = new_buffer(l, count * world_size, world_rank), *result = new_buffer(l, count, -1);
  MPI_Reduce_scatter_block(mine, result, count, l->type, op, MPI_COMM_WORLD);
  check_block(l, result, count * world_rank, count, "MPI_Reduce_scatter_block");
  MPI_Reduce_scatter_block(MPI_IN_PLACE, mine, count, l->type, op, MPI_COMM_WORLD);
  check_block(l, mine, count * world_rank, count, "MPI_Reduce_scatter_block in place");
  free(mine);
  free(result);
}

int main(int argc, char** argv) {
  const int scales[] = {1, 2, 7, 100, 2000};
  check_start(&argc, &argv);
  struct Layout layouts[2] = {contiguous_layout(), offset_layout()};
  MPI_Op op;
  MPI_Op_create(multiply, 0, &op);
  for (int k = 0; k < 2; k++) {
    for (int s = 0; s < 5; s++) {
      unequal(&layouts[k], op, scales[s]);
      blocks(&layouts[k], op, scales[s]);
    }
    MPI_Type_free(&layouts[k].type);
  }
  MPI_Op_free(&op);
  return check_finish();
}
