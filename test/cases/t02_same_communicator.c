// SPDX-License-Identifier: BSD-3-Clause
// Case T02: two threads of a rank are in collective calls on one communicator at once. One of them is told so, whichever it is;
// the other completes.
// run: np=2,4 timeout=60
// run: np=2 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "../support/check.h"

enum { all_reduce, barrier, nonblocking, duplicate, kinds };

static MPI_Comm shared, aside;
static int kind, keyval, refused, actor;
static atomic_int inside;

// Called in the middle of MPI_Comm_dup, before it has heard of the other ranks.
static int copied(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  *flag = 0;
  inside = 1;
  return MPI_SUCCESS;
}

static int duplicates(void) {
  MPI_Comm made = MPI_COMM_NULL;
  const int code = MPI_Comm_dup(shared, &made);
  if (code == MPI_SUCCESS) MPI_Comm_free(&made);
  return code;
}

static int reduces(void) {
  int one = 1, sum = 0;
  const int code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, shared);
  CHECK(code != MPI_SUCCESS || sum == world_size, "sum %d, expected %d", sum, world_size);
  return code;
}

// What the first thread of the actor and all other ranks call.
static int first_call(void) { return kind == all_reduce ? reduces() : kind == barrier ? MPI_Barrier(shared) : duplicates(); }

static int second_call(void) {
  int value = 0;
  MPI_Request request;
  if (kind != nonblocking) return first_call();
  return MPI_Ibcast(&value, 1, MPI_INT, 0, shared, &request);
}

// Whoever is refused lets the other ranks in, so that no call ends before both have begun.
static void look_at(int code) {
  if (code == MPI_SUCCESS) return;
  CHECK_CLASS(code, MPI_ERR_OTHER);
  refused++;
  for (int i = 0; i < actor; i++) MPI_Send(NULL, 0, MPI_BYTE, i, 0, aside);
}

static void* first_thread(void* nothing) {
  look_at(first_call());
  return nothing;
}

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  actor = world_size - 1;  // not rank 0, which need not wait in MPI_Comm_dup
  CHECK(provided == MPI_THREAD_MULTIPLE, "thread level %d", provided);
  MPI_Comm_dup(MPI_COMM_WORLD, &shared);
  MPI_Comm_dup(MPI_COMM_WORLD, &aside);
  MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Comm_set_attr(shared, keyval, NULL);
  MPI_Comm_set_errhandler(shared, MPI_ERRORS_RETURN);
  MPI_Comm_set_name(shared, "the shared one");
  for (int i = 0; i < 3 * kinds; i++) {
    kind = i % kinds;
    if (world_rank == actor) {
      pthread_t other;
      refused = 0;
      inside = 0;
      pthread_create(&other, NULL, first_thread, NULL);
      while (kind >= nonblocking && !inside) sched_yield();  // either of two equal calls may come first
      look_at(second_call());
      pthread_join(other, NULL);
      CHECK(refused == 1, "kind %d: %d calls were refused", kind, refused);
    } else {
      MPI_Recv(NULL, 0, MPI_BYTE, actor, 0, aside, MPI_STATUS_IGNORE);
      first_call();
    }
  }
  MPI_Comm_free_keyval(&keyval);
  MPI_Comm_free(&shared);
  MPI_Comm_free(&aside);
  return check_finish();
}
