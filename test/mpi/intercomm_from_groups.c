// SPDX-License-Identifier: BSD-3-Clause
// MPI_Intercomm_create_from_groups, in the world model and in a session: members, leaders other than rank 0, hints, error
// handlers, empty groups, overlapping groups; MPI_Comm_get_parent and MPI_Get_hw_resource_info beside it.
// run: np=1,2,3,5,8 timeout=60
// run: np=2,5 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

// The members of `world` from `first` to `last`.
static MPI_Group part(MPI_Group world, int first, int last) {
  MPI_Group group;
  int range[1][3] = {{first, last, 1}};
  MPI_Group_range_incl(world, 1, range, &group);
  return group;
}

static void check_traffic(MPI_Comm inter, int first_here, int here, int first_there, int there) {
  int is_inter = 0, size = 0, remote = 0, rank = -1;
  MPI_Comm_test_inter(inter, &is_inter);
  MPI_Comm_size(inter, &size);
  MPI_Comm_remote_size(inter, &remote);
  MPI_Comm_rank(inter, &rank);
  CHECK(is_inter && size == here && remote == there, "%d and %d, expected %d and %d", size, remote, here, there);
  CHECK(rank == world_rank - first_here, "rank %d", rank);
  int sum = 0, wanted = 0;
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, inter);
  for (int i = 0; i < there; i++) wanted += first_there + i;
  CHECK(sum == wanted, "%d, expected %d", sum, wanted);
  int from_peer = -1, peer = rank < there ? rank : MPI_PROC_NULL;
  MPI_Sendrecv(&world_rank, 1, MPI_INT, peer, 3, &from_peer, 1, MPI_INT, peer, 3, inter, MPI_STATUS_IGNORE);
  if (peer != MPI_PROC_NULL) CHECK(from_peer == first_there + rank, "%d", from_peer);
}

static void two_sides(MPI_Group world, const char* tag) {
  if (world_size < 2) return;
  const int split = world_size / 2 + (world_size > 4);
  const int low = world_rank < split;
  const int first = low ? 0 : split, here = low ? split : world_size - split;
  const int other = low ? split : 0, there = world_size - here;
  MPI_Group mine = part(world, first, first + here - 1), theirs = part(world, other, other + there - 1);
  MPI_Info hints, seen;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
  const int leader = here - 1, remote_leader = there - 1;  // the last of both sides
  const int leads = world_rank == first + leader;
  MPI_Comm inter = MPI_COMM_NULL;
  CHECK(MPI_Intercomm_create_from_groups(mine, leader, leads ? theirs : MPI_GROUP_NULL, leads ? remote_leader : -7, tag,
                                         hints, MPI_ERRORS_RETURN, &inter) == MPI_SUCCESS,
        "no intercommunicator");
  check_traffic(inter, first, here, other, there);
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(inter, &handler);
  CHECK(handler == MPI_ERRORS_RETURN, "another error handler");
  int flag = 0, length = 8;
  char value[8];
  MPI_Comm_get_info(inter, &seen);
  MPI_Info_get_string(seen, "mpi_assert_no_any_tag", &length, value, &flag);
  CHECK(flag && strcmp(value, "true") == 0, "the hint is lost");
  MPI_Info_free(&seen);
  MPI_Info_free(&hints);

  MPI_Comm merged, twin;
  MPI_Intercomm_merge(inter, !low, &merged);
  int rank = -1;
  MPI_Comm_rank(merged, &rank);
  CHECK(rank == world_rank, "%d after merging", rank);
  MPI_Comm_dup(inter, &twin);
  check_traffic(twin, first, here, other, there);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&inter);

  // An empty side: local, and no communicator.
  inter = MPI_COMM_WORLD;
  MPI_Intercomm_create_from_groups(mine, 0, MPI_GROUP_EMPTY, 0, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &inter);
  CHECK(inter == MPI_COMM_NULL, "an intercommunicator with nobody");
  MPI_Group_free(&mine);
  MPI_Group_free(&theirs);
}

static void wrong_arguments(MPI_Group world) {
  MPI_Comm inter;
  MPI_Group self = part(world, world_rank, world_rank);
  const MPI_Errhandler returns = MPI_ERRORS_RETURN;
  CHECK_CLASS(MPI_Intercomm_create_from_groups(self, 0, world, 0, "t", MPI_INFO_NULL, returns, &inter), MPI_ERR_GROUP);
  CHECK_CLASS(MPI_Intercomm_create_from_groups(self, 1, world, 0, "t", MPI_INFO_NULL, returns, &inter), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Intercomm_create_from_groups(self, 0, world, -1, "t", MPI_INFO_NULL, returns, &inter), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Intercomm_create_from_groups(self, 0, world, 0, NULL, MPI_INFO_NULL, returns, &inter), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Intercomm_create_from_groups(self, 0, MPI_GROUP_NULL, 0, "t", MPI_INFO_NULL, returns, &inter),
              MPI_ERR_GROUP);
  if (world_size > 1) {
    MPI_Group other = part(world, (world_rank + 1) % world_size, (world_rank + 1) % world_size);
    CHECK_CLASS(MPI_Intercomm_create_from_groups(other, 0, self, 0, "t", MPI_INFO_NULL, returns, &inter), MPI_ERR_GROUP);
    MPI_Group_free(&other);
  }
  MPI_Group_free(&self);
}

static void hardware(void) {
  MPI_Info info = MPI_INFO_NULL;
  int keys = 0, flag = 0, machine = 0;
  char key[MPI_MAX_INFO_KEY], value[8];
  CHECK(MPI_Get_hw_resource_info(&info) == MPI_SUCCESS, "no info");
  MPI_Info_get_nkeys(info, &keys);
  for (int i = 0; i < keys; i++) {
    int length = sizeof value;
    MPI_Info_get_nthkey(info, i, key);
    MPI_Info_get_string(info, key, &length, value, &flag);
    CHECK(flag && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0), "%s is %s", key, value);
    CHECK(strncmp(key, "hwloc://", 8) == 0, "%s", key);
    machine |= strcmp(key, "hwloc://Machine") == 0 && strcmp(value, "true") == 0;
  }
  CHECK(machine, "a process runs on one machine");
  MPI_Info_free(&info);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  errors_return(MPI_COMM_SELF);
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  two_sides(world, "test://world");
  MPI_Session session;
  MPI_Group of_session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &of_session);
  two_sides(of_session, "test://session");
  MPI_Group_free(&of_session);
  MPI_Session_finalize(&session);
  wrong_arguments(world);
  MPI_Group_free(&world);
  hardware();
  MPI_Comm parent = MPI_COMM_WORLD;
  MPI_Comm_get_parent(&parent);
  CHECK(parent == MPI_COMM_NULL, "nobody spawned this process");
  return check_finish();
}
