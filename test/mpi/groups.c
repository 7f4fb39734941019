// SPDX-License-Identifier: BSD-3-Clause
// Groups: set operations in their prescribed order, translation, comparison.
// run: np=1,4,5,8 timeout=60
#include "../support/check.h"

static void check_ranks(MPI_Group group, MPI_Group world, int count, const int* expected) {
  int size = -1;
  MPI_Group_size(group, &size);
  CHECK(size == count, "size %d, expected %d", size, count);
  for (int i = 0; i < count; i++) {
    int in_world = -1;
    MPI_Group_translate_ranks(group, 1, &i, world, &in_world);
    CHECK(in_world == expected[i], "member %d is %d, expected %d", i, in_world, expected[i]);
  }
}

static int result_of(MPI_Group a, MPI_Group b) {
  int result = -1;
  MPI_Group_compare(a, b, &result);
  return result;
}

static void sets(MPI_Group world) {
  MPI_Group a, b, c;
  MPI_Group_incl(world, 3, (int[]){3, 0, 2}, &a);
  MPI_Group_incl(world, 3, (int[]){1, 2, 3}, &b);
  check_ranks(a, world, 3, (int[]){3, 0, 2});
  MPI_Group_union(a, b, &c);
  check_ranks(c, world, 4, (int[]){3, 0, 2, 1});
  MPI_Group_free(&c);
  CHECK(c == MPI_GROUP_NULL, "the handle of a freed group");
  MPI_Group_intersection(a, b, &c);
  check_ranks(c, world, 2, (int[]){3, 2});
  MPI_Group_free(&c);
  MPI_Group_difference(a, b, &c);
  check_ranks(c, world, 1, (int[]){0});
  MPI_Group_free(&c);
  MPI_Group_difference(a, a, &c);
  CHECK(c == MPI_GROUP_EMPTY || result_of(c, MPI_GROUP_EMPTY) == MPI_IDENT, "a group less itself is not empty");
  if (c != MPI_GROUP_EMPTY) MPI_Group_free(&c);
  MPI_Group_excl(a, 1, (int[]){0}, &c);
  check_ranks(c, world, 2, (int[]){0, 2});
  MPI_Group_free(&c);
  MPI_Group_incl(world, 3, (int[]){0, 2, 3}, &c);
  CHECK(result_of(a, c) == MPI_SIMILAR && result_of(a, a) == MPI_IDENT && result_of(a, b) == MPI_UNEQUAL, "comparisons");
  MPI_Group_free(&c);
  int from[3] = {0, 1, 2}, to[3];
  MPI_Group_translate_ranks(a, 3, from, b, to);
  CHECK(to[0] == 2 && to[1] == MPI_UNDEFINED && to[2] == 1, "%d %d %d", to[0], to[1], to[2]);
  const int none = MPI_PROC_NULL;
  MPI_Group_translate_ranks(a, 1, &none, b, to);
  CHECK(to[0] == MPI_PROC_NULL, "%d", to[0]);
  int rank = -5;
  MPI_Group_rank(a, &rank);
  CHECK(rank == (world_rank == 3 ? 0 : world_rank == 0 ? 1 : world_rank == 2 ? 2 : MPI_UNDEFINED), "rank %d", rank);
  MPI_Group_free(&a);
  MPI_Group_free(&b);
}

static void ranges(MPI_Group world) {
  MPI_Group c;
  int three[3][3] = {{0, 3, 2}, {1, 1, 1}, {3, 3, -1}};
  MPI_Group_range_incl(world, 2, three, &c);
  check_ranks(c, world, 3, (int[]){0, 2, 1});
  MPI_Group_free(&c);
  int down[1][3] = {{3, 0, -1}};
  MPI_Group_range_incl(world, 1, down, &c);
  check_ranks(c, world, 4, (int[]){3, 2, 1, 0});
  MPI_Group_free(&c);
  int first[1][3] = {{0, 2, 2}};
  MPI_Group_range_excl(world, 1, first, &c);
  int expected[8], count = 0;
  for (int r = 0; r < world_size; r++)
    if (r != 0 && r != 2) expected[count++] = r;
  check_ranks(c, world, count, expected);
  MPI_Group_free(&c);
}

int main(int argc, char** argv) {
  MPI_Group world, again, none;
  int size = -1, rank = -1;
  check_start(&argc, &argv);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_group(MPI_COMM_WORLD, &again);
  MPI_Group_size(world, &size);
  MPI_Group_rank(world, &rank);
  CHECK(size == world_size && rank == world_rank && result_of(world, again) == MPI_IDENT, "rank %d of %d", rank, size);
  MPI_Group_free(&again);
  MPI_Group_size(MPI_GROUP_EMPTY, &size);
  MPI_Group_rank(MPI_GROUP_EMPTY, &rank);
  CHECK(size == 0 && rank == MPI_UNDEFINED, "empty group: rank %d of %d", rank, size);
  MPI_Group_incl(world, 0, NULL, &none);
  CHECK(result_of(none, MPI_GROUP_EMPTY) == MPI_IDENT, "no members");
  if (none != MPI_GROUP_EMPTY) MPI_Group_free(&none);
  if (world_size >= 4) {
    sets(world);
    ranges(world);
  }
  MPI_Group_free(&world);
  return check_finish();
}
