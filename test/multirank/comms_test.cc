// SPDX-License-Identifier: BSD-3-Clause
// Communicators between real processes: contexts that separate, groups that are what was asked for.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "ompi_lite/include/mpi.h"

namespace {

int rank_in(MPI_Comm comm) {
  int rank;
  REQUIRE(MPI_Comm_rank(comm, &rank) == MPI_SUCCESS);
  return rank;
}
int size_of(MPI_Comm comm) {
  int size;
  REQUIRE(MPI_Comm_size(comm, &size) == MPI_SUCCESS);
  return size;
}
int sum_over(MPI_Comm comm, int value) {
  int sum = -1;
  REQUIRE(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS);
  return sum;
}

TEST_CASE("a message in a duplicate is not seen by the original", "[np=1,2,3,5]") {
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Comm copy;
  REQUIRE(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
  int result;
  REQUIRE(MPI_Comm_compare(copy, MPI_COMM_WORLD, &result) == MPI_SUCCESS);
  CHECK(result == MPI_CONGRUENT);
  const int in_world = 100 + rank, in_copy = 200 + rank;
  MPI_Request requests[2];
  REQUIRE(MPI_Isend(&in_world, 1, MPI_INT, next, 5, MPI_COMM_WORLD, &requests[0]) == MPI_SUCCESS);
  REQUIRE(MPI_Isend(&in_copy, 1, MPI_INT, next, 5, copy, &requests[1]) == MPI_SUCCESS);
  int got = 0;
  REQUIRE(MPI_Recv(&got, 1, MPI_INT, before, 5, copy, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(got == 200 + before);
  REQUIRE(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  CHECK(got == 100 + before);
  REQUIRE(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  REQUIRE(MPI_Comm_free(&copy) == MPI_SUCCESS);
  CHECK(copy == MPI_COMM_NULL);
}

TEST_CASE("split orders by key, then by old rank, and leaves out the undefined", "[np=1,2,3,4,7]") {
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  MPI_Comm part;
  REQUIRE(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part) == MPI_SUCCESS);
  const int members = (size - rank % 2 + 1) / 2;
  CHECK(size_of(part) == members);
  CHECK(rank_in(part) == members - 1 - rank / 2);
  int expected = 0;
  for (int r = rank % 2; r < size; r += 2) expected += r;
  CHECK(sum_over(part, rank) == expected);
  REQUIRE(MPI_Comm_free(&part) == MPI_SUCCESS);
  REQUIRE(MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 3, 0, &part) == MPI_SUCCESS);
  CHECK((part == MPI_COMM_NULL) == (rank == 0));
  if (part != MPI_COMM_NULL) {
    CHECK(rank_in(part) == rank - 1);
    REQUIRE(MPI_Comm_free(&part) == MPI_SUCCESS);
  }
}

TEST_CASE("split_type by shared memory holds all ranks of one host", "[np=1,4]") {
  MPI_Comm node;
  REQUIRE(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) == MPI_SUCCESS);
  CHECK(size_of(node) == size_of(MPI_COMM_WORLD));
  CHECK(sum_over(node, 1) == size_of(MPI_COMM_WORLD));
  REQUIRE(MPI_Comm_free(&node) == MPI_SUCCESS);
}

TEST_CASE("create and create_group give communicators in the order of the group", "[np=2,3,5,8]") {
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  std::vector<int> ranks;  // all but rank 0, backwards
  for (int r = size - 1; r > 0; r--) ranks.push_back(r);
  MPI_Group world, group;
  REQUIRE(MPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS);
  REQUIRE(MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group) == MPI_SUCCESS);
  MPI_Comm created = MPI_COMM_NULL, of_group = MPI_COMM_NULL;
  REQUIRE(MPI_Comm_create(MPI_COMM_WORLD, group, &created) == MPI_SUCCESS);
  CHECK((created == MPI_COMM_NULL) == (rank == 0));
  if (rank != 0) {
    REQUIRE(MPI_Comm_create_group(MPI_COMM_WORLD, group, 9, &of_group) == MPI_SUCCESS);
    for (MPI_Comm comm : {created, of_group}) {
      CHECK(rank_in(comm) == size - 1 - rank);
      CHECK(sum_over(comm, rank) == size * (size - 1) / 2);
    }
    int result;
    REQUIRE(MPI_Comm_compare(created, of_group, &result) == MPI_SUCCESS);
    CHECK(result == MPI_CONGRUENT);
    REQUIRE(MPI_Comm_free(&created) == MPI_SUCCESS);
    REQUIRE(MPI_Comm_free(&of_group) == MPI_SUCCESS);
  }
  REQUIRE(MPI_Group_free(&group) == MPI_SUCCESS);
  REQUIRE(MPI_Group_free(&world) == MPI_SUCCESS);
}

TEST_CASE("an intercommunicator talks across and merges in the order asked for", "[np=2,3,4,7]") {
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), side = rank % 2;
  MPI_Comm local, inter, copy, merged;
  REQUIRE(MPI_Comm_split(MPI_COMM_WORLD, side, rank, &local) == MPI_SUCCESS);
  REQUIRE(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - side, 17, &inter) == MPI_SUCCESS);
  REQUIRE(MPI_Comm_dup(inter, &copy) == MPI_SUCCESS);
  int remote, is_inter;
  REQUIRE(MPI_Comm_remote_size(copy, &remote) == MPI_SUCCESS);
  REQUIRE(MPI_Comm_test_inter(copy, &is_inter) == MPI_SUCCESS);
  CHECK(remote == size - size_of(local));
  CHECK(is_inter == 1);
  const int partner = rank_in(local);  // of equal rank on the other side, if there is one
  if (partner < remote) {
    int got = -1;
    REQUIRE(MPI_Sendrecv(&rank, 1, MPI_INT, partner, 1, &got, 1, MPI_INT, partner, 1, copy, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(got == (side == 0 ? rank + 1 : rank - 1));
  }
  REQUIRE(MPI_Intercomm_merge(inter, side == 0, &merged) == MPI_SUCCESS);  // the even ranks last
  CHECK(size_of(merged) == size);
  CHECK(rank_in(merged) == (side == 1 ? rank_in(local) : remote + rank_in(local)));
  CHECK(sum_over(merged, rank) == size * (size - 1) / 2);
  for (MPI_Comm* comm : {&merged, &copy, &inter, &local}) REQUIRE(MPI_Comm_free(comm) == MPI_SUCCESS);
}

TEST_CASE("split and create of an intercommunicator keep both sides apart", "[np=2,4,5,8]") {
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), side = rank % 2;
  MPI_Comm local, inter, part, created;
  REQUIRE(MPI_Comm_split(MPI_COMM_WORLD, side, rank, &local) == MPI_SUCCESS);
  REQUIRE(MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, 1 - side, 3, &inter) == MPI_SUCCESS);
  // By colour: ranks 0 and 1 of each side, and the rest; backwards by key.
  const int mine = rank_in(local), color = mine / 2;
  REQUIRE(MPI_Comm_split(inter, color, -mine, &part) == MPI_SUCCESS);
  auto members = [&](int of_side, int of_color) {
    const int all = (size - of_side + 1) / 2;
    return std::max(0, std::min(all - 2 * of_color, 2));
  };
  CHECK((part == MPI_COMM_NULL) == (members(1 - side, color) == 0));
  if (part != MPI_COMM_NULL) {
    int remote;
    REQUIRE(MPI_Comm_remote_size(part, &remote) == MPI_SUCCESS);
    CHECK(remote == members(1 - side, color));
    CHECK(size_of(part) == members(side, color));
    CHECK(rank_in(part) == members(side, color) - 1 - mine % 2);
    MPI_Comm merged;
    REQUIRE(MPI_Intercomm_merge(part, side, &merged) == MPI_SUCCESS);
    CHECK(sum_over(merged, 1) == members(0, color) + members(1, color));
    REQUIRE(MPI_Comm_free(&merged) == MPI_SUCCESS);
    REQUIRE(MPI_Comm_free(&part) == MPI_SUCCESS);
  }
  // Only rank 0 of each side, then nobody of the odd side.
  for (int empty : {0, 1}) {
    MPI_Group group, chosen;
    const int first = 0;
    REQUIRE(MPI_Comm_group(inter, &group) == MPI_SUCCESS);
    REQUIRE(MPI_Group_incl(group, empty == 1 && side == 1 ? 0 : 1, &first, &chosen) == MPI_SUCCESS);
    REQUIRE(MPI_Comm_create(inter, chosen, &created) == MPI_SUCCESS);
    CHECK((created != MPI_COMM_NULL) == (empty == 0 && mine == 0));
    if (created != MPI_COMM_NULL) {
      int other = -1;
      REQUIRE(MPI_Sendrecv(&rank, 1, MPI_INT, 0, 1, &other, 1, MPI_INT, 0, 1, created, MPI_STATUS_IGNORE) == MPI_SUCCESS);
      CHECK(other == 1 - rank);
      REQUIRE(MPI_Comm_free(&created) == MPI_SUCCESS);
    }
    REQUIRE(MPI_Group_free(&group) == MPI_SUCCESS);
    REQUIRE(MPI_Group_free(&chosen) == MPI_SUCCESS);
  }
  for (MPI_Comm* comm : {&inter, &local}) REQUIRE(MPI_Comm_free(comm) == MPI_SUCCESS);
}

TEST_CASE("thousands of communicators come and go, and contexts never mix", "[np=1,2,4]") {
  const int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  for (int i = 0; i < 2000; i++) {
    MPI_Comm copy, part;
    REQUIRE(MPI_Comm_dup(MPI_COMM_WORLD, &copy) == MPI_SUCCESS);
    REQUIRE(MPI_Comm_split(copy, 0, rank, &part) == MPI_SUCCESS);
    REQUIRE(MPI_Comm_free(&copy) == MPI_SUCCESS);
    if (i % 100 == 0) CHECK(sum_over(part, i) == i * size);
    REQUIRE(MPI_Comm_free(&part) == MPI_SUCCESS);
  }
}

TEST_CASE("names and hints are kept and handed on as the standard says", "[np=1]") {
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  REQUIRE(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length) == MPI_SUCCESS);
  CHECK(std::string(name) == "MPI_COMM_WORLD");
  MPI_Comm copy, plain;
  MPI_Info info, read;
  REQUIRE(MPI_Info_create(&info) == MPI_SUCCESS);
  REQUIRE(MPI_Info_set(info, "mpi_assert_no_any_tag", "true") == MPI_SUCCESS);
  REQUIRE(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy) == MPI_SUCCESS);
  REQUIRE(MPI_Comm_dup(copy, &plain) == MPI_SUCCESS);
  REQUIRE(MPI_Comm_get_info(plain, &read) == MPI_SUCCESS);
  char value[8];
  int flag, room = sizeof value;
  REQUIRE(MPI_Info_get_string(read, "mpi_assert_no_any_tag", &room, value, &flag) == MPI_SUCCESS);
  CHECK((flag == 1 && std::string(value) == "true"));
  REQUIRE(MPI_Comm_get_name(plain, name, &length) == MPI_SUCCESS);
  CHECK(length == 0);
  REQUIRE(MPI_Comm_set_name(plain, "mine") == MPI_SUCCESS);
  REQUIRE(MPI_Comm_get_name(plain, name, &length) == MPI_SUCCESS);
  CHECK(std::string(name) == "mine");
  for (MPI_Info* object : {&info, &read}) REQUIRE(MPI_Info_free(object) == MPI_SUCCESS);
  for (MPI_Comm* comm : {&copy, &plain}) REQUIRE(MPI_Comm_free(comm) == MPI_SUCCESS);
}

}  // namespace
