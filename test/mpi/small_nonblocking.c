// SPDX-License-Identifier: BSD-3-Clause
// Small nonblocking and persistent collectives that share the slots of a node: many under way at once, waited for in any order,
// among blocking ones, with ranks that are late; also the first calls of a communicator, which go by messages.
// run: np=1,2,3,4,8 timeout=120
// run: np=3 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <unistd.h>

#include "../support/check.h"

enum { most_count = 20, most_ranks = 8, under_way = 24, kinds = 11 };

static int value(int rank, int call, int i) { return rank * 1000 + call * 7 + i; }

static int sum_of(int ranks, int call, int i) {
  int sum = 0;
  for (int r = 0; r < ranks; r++) sum += value(r, call, i);
  return sum;
}

// One nonblocking call and what it has to give.
struct Call {
  int kind, number, count, root, in_place;
  int in[most_count * most_ranks], out[most_count * most_ranks];
};

static void start(struct Call* c, MPI_Comm comm, MPI_Request* request) {
  const int blocks = c->kind == 4 || c->kind == 6 || c->kind == 7 ? world_size : 1;  // that this rank sends
  for (int i = 0; i < most_count * most_ranks; i++) c->in[i] = c->out[i] = -1;
  for (int i = 0; i < c->count * blocks; i++) c->in[i] = value(world_rank, c->number, i);
  const int at_root = world_rank == c->root, n = c->count;
  const void* in = c->in;
  if (c->in_place && (c->kind == 2 || c->kind == 8 || c->kind == 9 || c->kind == 7)) {
    memcpy(c->out, c->in, sizeof c->in);
    in = MPI_IN_PLACE;
  }
  switch (c->kind) {
    case 0:
      MPI_Ibarrier(comm, request);
      break;
    case 1:
      if (at_root) memcpy(c->out, c->in, sizeof c->in);
      MPI_Ibcast(c->out, n, MPI_INT, c->root, comm, request);
      break;
    case 2:
      MPI_Iallreduce(in, c->out, n, MPI_INT, MPI_SUM, comm, request);
      break;
    case 3:
      if (c->in_place && at_root) {
        memcpy(c->out + world_rank * n, c->in, sizeof(int) * (size_t)n);
        in = MPI_IN_PLACE;
      }
      MPI_Igather(in, n, MPI_INT, at_root ? c->out : NULL, n, at_root ? MPI_INT : MPI_DATATYPE_NULL, c->root, comm, request);
      break;
    case 4:
      MPI_Iscatter(at_root ? c->in : NULL, n, at_root ? MPI_INT : MPI_DATATYPE_NULL, c->in_place && at_root ? MPI_IN_PLACE : c->out, n,
                   MPI_INT, c->root, comm, request);
      break;
    case 5:
      if (c->in_place) {
        memcpy(c->out + world_rank * n, c->in, sizeof(int) * (size_t)n);
        MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, c->out, n, MPI_INT, comm, request);
      } else {
        MPI_Iallgather(c->in, n, MPI_INT, c->out, n, MPI_INT, comm, request);
      }
      break;
    case 6:
      MPI_Ialltoall(c->in, n, MPI_INT, c->out, n, MPI_INT, comm, request);
      break;
    case 7:
      MPI_Ireduce_scatter_block(in, c->out, n, MPI_INT, MPI_SUM, comm, request);
      break;
    case 8:
      MPI_Iscan(in, c->out, n, MPI_INT, MPI_SUM, comm, request);
      break;
    case 9:
      MPI_Iexscan(in, c->out, n, MPI_INT, MPI_SUM, comm, request);
      break;
    default:
      if (c->in_place && at_root) {
        memcpy(c->out, c->in, sizeof c->in);
        in = MPI_IN_PLACE;
      }
      MPI_Ireduce(in, c->out, n, MPI_INT, MPI_SUM, c->root, comm, request);
      break;
  }
}

static int wanted(const struct Call* c, int i) {
  const int block = i / c->count, at = i % c->count;
  switch (c->kind) {
    case 1:
      return value(c->root, c->number, i);
    case 3:
    case 5:
      return value(block, c->number, at);
    case 4:
      return value(c->root, c->number, world_rank * c->count + i);
    case 6:
      return value(block, c->number, world_rank * c->count + at);
    case 7:
      return sum_of(world_size, c->number, world_rank * c->count + i);
    case 8:
      return sum_of(world_rank + 1, c->number, i);
    case 9:
      return sum_of(world_rank, c->number, i);
    default:
      return sum_of(world_size, c->number, i);
  }
}

static void verify(const struct Call* c, const char* where) {
  const int at_root = world_rank == c->root;
  if (c->kind == 0 || (c->kind == 9 && world_rank == 0) || ((c->kind == 3 || c->kind == 10) && !at_root)) return;
  if (c->kind == 4 && c->in_place && at_root) return;  // its block stays where it is
  const int n = c->kind == 3 || c->kind == 5 || c->kind == 6 ? c->count * world_size : c->count;
  for (int i = 0; i < n; i++)
    CHECK(c->out[i] == wanted(c, i), "%s: kind %d, call %d, count %d, element %d: %d instead of %d", where, c->kind, c->number,
          c->count, i, c->out[i], wanted(c, i));
}

static void mixed(MPI_Comm comm, int rounds) {
  static struct Call calls[under_way];
  MPI_Request requests[under_way];
  for (int round = 0; round < rounds; round++) {
    const int n = 1 + (int)(mix((unsigned)round) % under_way);  // the same at all ranks
    for (int k = 0; k < n; k++) {
      const uint64_t dice = mix((unsigned)(round * 100 + k));
      calls[k] = (struct Call){.kind = (int)(dice % kinds), .number = round * 100 + k};
      calls[k].count = 1 + (int)(dice / 16 % most_count);
      calls[k].root = (int)(dice / 1024 % (unsigned)world_size);
      calls[k].in_place = (int)(dice / 65536 % 2);
      start(&calls[k], comm, &requests[k]);
      const uint64_t own = mix((unsigned)(round * 100 + k) * 31u + (unsigned)world_rank);  // each rank is late elsewhere
      if (own % 64 == 0) usleep((useconds_t)(own / 64 % 300));
      if (dice / 131072 % 8 == 0) {  // a blocking one, while others are under way
        int mine = world_rank + k, sum = 0;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        CHECK(sum == world_size * k + world_size * (world_size - 1) / 2, "blocking sum %d among nonblocking ones", sum);
      }
    }
    for (int left = n; left > 0; left--) {  // in an order of its own at each rank
      int which = (int)(mix((unsigned)(round + left * 77 + world_rank)) % (unsigned)n);
      while (requests[which] == MPI_REQUEST_NULL) which = (which + 1) % n;
      if (left % 3 == 0) {
        MPI_Waitany(n, requests, &which, MPI_STATUS_IGNORE);
      } else {
        MPI_Wait(&requests[which], MPI_STATUS_IGNORE);
      }
      verify(&calls[which], "mixed");
    }
  }
}

static void persistent(void) {
  enum { requests_count = 6, starts = 30, n = 5 };
  MPI_Request requests[requests_count];
  int in[requests_count][n], out[requests_count][n];
  for (int k = 0; k < requests_count; k++) MPI_Allreduce_init(in[k], out[k], n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[k]);
  for (int turn = 0; turn < starts; turn++) {
    for (int k = 0; k < requests_count; k++)
      for (int i = 0; i < n; i++) in[k][i] = value(world_rank, turn * requests_count + k, i);
    MPI_Startall(requests_count, requests);
    if (turn % 4 == world_rank % 4) usleep(100);
    MPI_Waitall(requests_count, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < requests_count; k++)
      for (int i = 0; i < n; i++)
        CHECK(out[k][i] == sum_of(world_size, turn * requests_count + k, i), "persistent %d, start %d, element %d", k, turn, i);
  }
  for (int k = 0; k < requests_count; k++) MPI_Request_free(&requests[k]);
}

// A start is local: rank 0 begins only when rank 1 has started all of its own and says so.
static void starts_are_local(void) {
  enum { n = 20 };
  MPI_Request requests[n];
  int in[n], out[n], go = 1;
  if (world_rank == 0 && world_size > 1) MPI_Recv(&go, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int k = 0; k < n; k++) {
    in[k] = value(world_rank, k, 0);
    MPI_Iallreduce(&in[k], &out[k], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[k]);
  }
  if (world_rank == 1) MPI_Send(&go, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
  MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
  for (int k = 0; k < n; k++) CHECK(out[k] == sum_of(world_size, k, 0), "call %d of those that wait for a message", k);
}

// A product of matrices: operands in the order of ranks.
static void second_of(void* in, void* inout, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; i++) ((int*)inout)[i] = ((int*)in)[i] * 3 + ((int*)inout)[i];
}

static void users_op(void) {
  MPI_Op op;
  MPI_Request request;
  MPI_Op_create(second_of, 0, &op);
  int in = world_rank + 1, out = 0;
  MPI_Iallreduce(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
  MPI_Op_free(&op);  // its last use is still under way
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int first = out;
  MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
  CHECK(first == out, "a user's op gives %d here and %d at rank 0", out, first);
}

// Ranks that give different counts get an error, and nobody hangs.
static void different_counts(void) {
  MPI_Comm comm;
  MPI_Request request;
  int in[4] = {1, 2, 3, 4}, out[4], failed, any = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int k = 0; k < 5; k++) MPI_Barrier(comm);
  MPI_Iallreduce(in, out, world_rank == 0 ? 3 : 4, MPI_INT, MPI_SUM, comm, &request);
  failed = MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CHECK(any == (world_size > 1), "ranks with different counts: %s", any ? "an error" : "no error");
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  mixed(MPI_COMM_WORLD, 3);  // by messages first, then through the slots from some blocking call on
  for (int k = 0; k < 4; k++) MPI_Barrier(MPI_COMM_WORLD);
  mixed(MPI_COMM_WORLD, 60);
  starts_are_local();
  persistent();
  users_op();
  MPI_Comm other;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  mixed(other, 10);  // some of them before there are slots
  MPI_Comm_free(&other);
  different_counts();
  return check_finish();
}
