// SPDX-License-Identifier: BSD-3-Clause
// Case C05: reductions with a non-commutative operation keep the order of the ranks, for every root, in place and not, in every form.
// run: np=1,2,3,4,5,7,8 timeout=120
// run: np=2,3,5 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
// run: np=2,3,5 timeout=120 env=OMPI_LITE_TRANSPORTS=self,ofi
#include "../support/forms.h"
#include "matrix_product.h"

static void check_products(const struct Layout* l, const char* buffer, int count, const char* what) {
  for (int i = 0; i < count; i++) {
    const struct Matrix got = get(l, buffer, i), right = product_of_all(world_size, i);
    CHECK(same(got, right), "%s, count %d, element %d: %d %d %d %d, expected %d %d %d %d", what, count, i, got.e[0],
          got.e[1], got.e[2], got.e[3], right.e[0], right.e[1], right.e[2], right.e[3]);
  }
  check_gaps(l, buffer, count);
}

static void reduce(int form, const void* mine, void* result, int count, MPI_Datatype type, MPI_Op op, int root) {
  MPI_Request request;
  const MPI_Comm c = MPI_COMM_WORLD;
  if (form == blocking_form) MPI_Reduce(mine, result, count, type, op, root, c);
  if (form == nonblocking_form) MPI_Ireduce(mine, result, count, type, op, root, c, &request);
  if (form == persistent_form) MPI_Reduce_init(mine, result, count, type, op, root, c, MPI_INFO_NULL, &request);
  end_form(form, &request);
}

static void allreduce(int form, const void* mine, void* result, int count, MPI_Datatype type, MPI_Op op) {
  MPI_Request request;
  const MPI_Comm c = MPI_COMM_WORLD;
  if (form == blocking_form) MPI_Allreduce(mine, result, count, type, op, c);
  if (form == nonblocking_form) MPI_Iallreduce(mine, result, count, type, op, c, &request);
  if (form == persistent_form) MPI_Allreduce_init(mine, result, count, type, op, c, MPI_INFO_NULL, &request);
  end_form(form, &request);
}

static void reduce_all_roots(int form, const struct Layout* l, int count, MPI_Op op) {
  for (int root = 0; root < world_size; root++) {
    char *mine = new_buffer(l, count, world_rank), *result = new_buffer(l, count, -1);
    reduce(form, mine, world_rank == root ? result : NULL, count, l->type, op, root);
    if (world_rank == root) check_products(l, result, count, "MPI_Reduce");
    reduce(form, world_rank == root ? MPI_IN_PLACE : mine, world_rank == root ? mine : NULL, count, l->type, op, root);
    if (world_rank == root) check_products(l, mine, count, "MPI_Reduce in place");
    free(mine);
    free(result);
  }
}

static void allreduce_both(int form, const struct Layout* l, int count, MPI_Op op) {
  char *mine = new_buffer(l, count, world_rank), *result = new_buffer(l, count, -1);
  allreduce(form, mine, result, count, l->type, op);
  check_products(l, result, count, "MPI_Allreduce");
  allreduce(form, MPI_IN_PLACE, mine, count, l->type, op);
  check_products(l, mine, count, "MPI_Allreduce in place");
  free(mine);
  free(result);
}

static void scans(const struct Layout* l, int count, MPI_Op op) {
  char *mine = new_buffer(l, count, world_rank), *result = new_buffer(l, count, -1);
  MPI_Scan(mine, result, count, l->type, op, MPI_COMM_WORLD);
  for (int i = 0; i < count; i++)
    CHECK(same(get(l, result, i), product_of_all(world_rank + 1, i)), "MPI_Scan, count %d, element %d", count, i);
  MPI_Exscan(mine, result, count, l->type, op, MPI_COMM_WORLD);
  for (int i = 0; i < count && world_rank > 0; i++)
    CHECK(same(get(l, result, i), product_of_all(world_rank, i)), "MPI_Exscan, count %d, element %d", count, i);
  check_gaps(l, result, count);
  free(mine);
  free(result);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  const int n = world_size, counts[] = {1, 2, 3, n, n * n, n * n * n, n * n * n * n};
  struct Layout layouts[2] = {contiguous_layout(), offset_layout()};
  MPI_Op op;
  MPI_Op_create(multiply, 0, &op);
  for (int k = 0; k < 2; k++) {
    for (int c = 0; c < 7; c++) {
      for (int form = 0; form < all_forms; form++) {
        reduce_all_roots(form, &layouts[k], counts[c], op);
        allreduce_both(form, &layouts[k], counts[c], op);
      }
      scans(&layouts[k], counts[c], op);
    }
    MPI_Type_free(&layouts[k].type);
  }
  MPI_Op_free(&op);
  return check_finish();
}
