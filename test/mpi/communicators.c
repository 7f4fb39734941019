// SPDX-License-Identifier: BSD-3-Clause
// Communicators: dup, split, split_type, create, create_group, compare, names; each carries its own traffic.
// run: np=1,2,3,4,5,8 timeout=60
// run: np=2,4 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

static int compare(MPI_Comm a, MPI_Comm b) {
  int result = -1;
  MPI_Comm_compare(a, b, &result);
  return result;
}

// The communicator has these members and they can talk, point to point and together.
static void check_members(MPI_Comm comm, int size, int rank) {
  int got_size = -1, got_rank = -1, inter = -1, sum = 0, from_left = -1;
  MPI_Comm_size(comm, &got_size);
  MPI_Comm_rank(comm, &got_rank);
  MPI_Comm_test_inter(comm, &inter);
  CHECK(got_size == size && got_rank == rank && !inter, "rank %d of %d, expected %d of %d", got_rank, got_size, rank, size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK(sum == size * (size - 1) / 2, "sum of ranks %d of %d", sum, size);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from_left, 1, MPI_INT, (rank + size - 1) % size, 0, comm,
               MPI_STATUS_IGNORE);
  CHECK(from_left == (rank + size - 1) % size, "from the left: %d", from_left);
}

static void dup(void) {
  MPI_Comm a, b;
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  check_members(a, world_size, world_rank);
  CHECK(compare(a, MPI_COMM_WORLD) == MPI_CONGRUENT && compare(a, a) == MPI_IDENT, "a copy is congruent");
  MPI_Comm_dup(a, &b);
  MPI_Comm_free(&a);
  CHECK(a == MPI_COMM_NULL, "the handle of a freed communicator");
  check_members(b, world_size, world_rank);
  MPI_Comm_free(&b);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &a);
  MPI_Info_free(&info);
  check_members(a, world_size, world_rank);
  MPI_Comm_free(&a);
}

static void split(void) {
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 3, -world_rank, &part);  // the order is turned round
  const int size = (world_size - world_rank % 3 + 2) / 3;
  check_members(part, size, size - 1 - world_rank / 3);
  MPI_Comm_free(&part);
  MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0 ? MPI_UNDEFINED : 5, 0, &part);
  if (world_rank == 0) {
    CHECK(part == MPI_COMM_NULL, "a rank without a colour got a communicator");
  } else {
    check_members(part, world_size - 1, world_rank - 1);  // equal keys keep the old order
    MPI_Comm_free(&part);
  }
  MPI_Comm_split(MPI_COMM_WORLD, 0, world_rank % 2 == 0, &part);  // odd ranks first
  const int odd = world_size / 2;
  check_members(part, world_size, world_rank % 2 ? world_rank / 2 : odd + world_rank / 2);
  CHECK(compare(part, MPI_COMM_WORLD) == (world_size > 1 ? MPI_SIMILAR : MPI_CONGRUENT), "an order of its own");
  MPI_Comm_free(&part);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part);
  check_members(part, world_size, world_rank);  // all ranks of this test run on one host
  MPI_Comm_free(&part);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &part);
  CHECK(part == MPI_COMM_NULL, "a rank without a type got a communicator");
}

static void create(void) {
  MPI_Group world, even;
  MPI_Comm comm;
  int members[16], count = 0;
  for (int r = world_size - 1; r >= 0; r--)
    if (r % 2 == 0) members[count++] = r;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, count, members, &even);
  MPI_Comm_create(MPI_COMM_WORLD, even, &comm);
  if (world_rank % 2 == 0) {
    check_members(comm, count, count - 1 - world_rank / 2);
    MPI_Comm_free(&comm);
    MPI_Comm_create_group(MPI_COMM_WORLD, even, 77, &comm);  // the odd ranks take no part
    check_members(comm, count, count - 1 - world_rank / 2);
    CHECK(compare(comm, MPI_COMM_WORLD) == (world_size > 1 ? MPI_UNEQUAL : MPI_CONGRUENT), "comparison of a part");
    MPI_Comm_free(&comm);
  } else {
    CHECK(comm == MPI_COMM_NULL, "a rank outside the group got a communicator");
  }
  MPI_Group_free(&world);
  MPI_Group_free(&even);
}

static void names(void) {
  MPI_Comm dup;
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14, "name %s", name);
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_get_name(dup, name, &length);
  CHECK(name[0] == 0 && length == 0, "a new communicator is named %s", name);
  MPI_Comm_set_name(dup, "my own");
  MPI_Comm_get_name(dup, name, &length);
  CHECK(strcmp(name, "my own") == 0 && length == 6, "name %s", name);
  MPI_Comm_get_name(MPI_COMM_NULL, name, &length);
  CHECK(strcmp(name, "MPI_COMM_NULL") == 0 && length == 13, "name %s", name);
  MPI_Comm_free(&dup);
}

// Many communicators of many shapes are alive at the same time.
static void many(void) {
  enum { n = 40 };
  MPI_Comm comms[n];
  for (int i = 0; i < n; i++)
    MPI_Comm_split(i % 4 == 0 ? MPI_COMM_WORLD : comms[i - 1], (world_rank >> (i % 4)) % 2, world_rank, &comms[i]);
  for (int i = n - 1; i >= 0; i--) {
    int size, rank;
    MPI_Comm_size(comms[i], &size);
    MPI_Comm_rank(comms[i], &rank);
    check_members(comms[i], size, rank);
  }
  for (int i = 0; i < n; i++) MPI_Comm_free(&comms[(i * 7) % n]);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  CHECK(compare(MPI_COMM_WORLD, MPI_COMM_SELF) == (world_size > 1 ? MPI_UNEQUAL : MPI_CONGRUENT), "world and self");
  dup();
  split();
  create();
  names();
  many();
  return check_finish();
}
