// SPDX-License-Identifier: BSD-3-Clause
// Sessions without MPI_Init: process sets, communicators from groups, requests and buffers that need no MPI_COMM_WORLD.
// run: np=1,2,3,5 timeout=60
// run: np=2,4 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

static MPI_Session open_session(void) {
  MPI_Session session = MPI_SESSION_NULL;
  CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS, "no session");
  return session;
}

static MPI_Group group_of(MPI_Session session, const char* set) {
  MPI_Group group = MPI_GROUP_NULL;
  CHECK(MPI_Group_from_session_pset(session, set, &group) == MPI_SUCCESS, "no group of %s", set);
  return group;
}

static void process_sets(MPI_Session session) {
  int sets = 0, found = 0;
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
  for (int i = 0; i < sets; i++) {
    int length = 0;
    char name[MPI_MAX_PSET_NAME_LEN];
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, NULL);
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
    CHECK(length == (int)strlen(name) + 1, "length %d of %s", length, name);
    found += strcmp(name, "mpi://WORLD") == 0 || strcmp(name, "mpi://SELF") == 0;
  }
  CHECK(found == 2, "%d of %d sets", found, sets);
  MPI_Group group;
  CHECK_CLASS(MPI_Group_from_session_pset(session, "mpi://no such set", &group), MPI_ERR_ARG);
}

// Each of the evens and odds talks only to its own; both communicators are made under one tag.
static void from_groups(MPI_Session session) {
  MPI_Group world = group_of(session, "mpi://WORLD"), half;
  int last = world_size - 1, range[3] = {world_rank % 2, last, 2};
  if ((last - range[0]) % 2 != 0) range[1]--;
  MPI_Group_range_incl(world, 1, &range, &half);
  MPI_Comm comm;
  CHECK(MPI_Comm_create_from_group(half, "test://halves", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS, "halves");
  int sum = 0, wanted = 0;
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  for (int i = range[0]; i < world_size; i += 2) wanted += i;
  CHECK(sum == wanted, "%d, expected %d", sum, wanted);
  MPI_Comm_free(&comm);
  CHECK_CLASS(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, NULL, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), MPI_ERR_ARG);
  CHECK(MPI_Comm_create_from_group(MPI_GROUP_EMPTY, "e", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS &&
            comm == MPI_COMM_NULL,
        "the empty group makes no communicator");
  MPI_Group_free(&half);
  MPI_Group_free(&world);
}

static int handled;
static void count_errors(MPI_Comm* comm, int* code, ...) {
  handled += *comm == MPI_COMM_NULL && error_class(*code) == MPI_ERR_ARG;
}

// The handler that a communicator is to get also gets the errors of making it; there is no communicator yet.
static void errors_of_making(MPI_Session session) {
  MPI_Errhandler handler;
  MPI_Comm comm;
  MPI_Group self = group_of(session, "mpi://SELF");
  MPI_Comm_create_errhandler(count_errors, &handler);
  CHECK_CLASS(MPI_Comm_create_from_group(self, NULL, MPI_INFO_NULL, handler, &comm), MPI_ERR_ARG);
  CHECK_CLASS(MPI_Intercomm_create_from_groups(self, 0, MPI_GROUP_EMPTY, 0, NULL, MPI_INFO_NULL, handler, &comm),
              MPI_ERR_ARG);
  CHECK(handled == 2, "the handler saw %d errors", handled);
  MPI_Errhandler_free(&handler);
  MPI_Group_free(&self);
}

static int query(void* state, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_BYTE, *(int*)state);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int nothing(void* state) { return (void)state, MPI_SUCCESS; }
static int no_cancel(void* state, int complete) { return (void)state, (void)complete, MPI_SUCCESS; }

// Calls that have no object to find the process by.
static void without_world(void) {
  int bytes = 7, got = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Grequest_start(query, nothing, no_cancel, &bytes, &request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_BYTE, &got);
  CHECK(got == bytes, "%d", got);
  char space[256 + MPI_BSEND_OVERHEAD], *back = NULL;
  int size = 0;
  MPI_Buffer_attach(space, sizeof space);
  MPI_Buffer_flush();
  MPI_Buffer_detach(&back, &size);
  CHECK(back == space && size == (int)sizeof space, "%d bytes", size);
}

int main(void) {
  MPI_Session session = open_session(), second = open_session();
  MPI_Group world = group_of(session, "mpi://WORLD");
  MPI_Group_rank(world, &world_rank);
  MPI_Group_size(world, &world_size);
  MPI_Group_free(&world);
  process_sets(session);
  from_groups(session);
  from_groups(second);
  errors_of_making(session);
  without_world();
  MPI_Session_finalize(&second);
  CHECK(second == MPI_SESSION_NULL, "the handle stays");
  from_groups(session);
  MPI_Session_finalize(&session);
  if (world_rank == 0) puts("ok");
  return 0;
}
