// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking and persistent collectives of large and small data by turns, with even and uneven blocks: many under way at once
// through the slots and the cells of a node, waited for in any order, among blocking ones, with ranks that are late.
// run: np=1,2,3,4,8 timeout=120
// run: np=4 timeout=120 env=OMPI_LITE_EXTRA_SPACE=0
// run: np=3 timeout=120 env=OMPI_LITE_TRANSPORTS=self,tcp
#include <unistd.h>

#include "../support/check.h"

enum { most_count = 30000, most_ranks = 8, under_way = 7, rounds = 14 };

enum Kind { bcast, allreduce, gather, scatter, allgather, alltoall, reduce_block, reduce, allgatherv, reduce_uneven, gatherv, scatterv, alltoallv, kinds };

static int value(int rank, int call, int i) { return rank * 100003 + call * 7919 + i; }

static int sum_of(int call, int i) {
  int sum = 0;
  for (int r = 0; r < world_size; r++) sum += value(r, call, i);
  return sum;
}

// One nonblocking call and what it has to give.
struct Call {
  int number, count, root, in_place;
  enum Kind kind;
  int counts[most_ranks], places[most_ranks];  // uneven blocks, some of them empty
  int *in, *out;
};

static void plan(struct Call* c, int number) {
  const uint64_t dice = mix((unsigned)number);  // the same at all ranks
  c->number = number;
  c->kind = (enum Kind)(dice % kinds);
  const unsigned most = dice / 16 % 3 == 0 ? 20 : (unsigned)(most_count / world_size);
  c->count = 1 + (int)(dice / 64 % most);
  c->root = (int)(dice / 4194304 % (unsigned)world_size);
  c->in_place = (int)(dice / 67108864 % 2);
  for (int r = 0, place = 0; r < world_size; r++) {
    c->counts[r] = (r + number) % 3 * c->count / 2;
    c->places[r] = place;
    place += c->counts[r];
  }
}

static void start(struct Call* c, MPI_Request* request) {
  const int at_root = world_rank == c->root, n = c->count, all = n * world_size, mine = c->counts[world_rank];
  const MPI_Comm comm = MPI_COMM_WORLD;
  const void* in = c->in;
  for (int i = 0; i < all; i++) c->in[i] = value(world_rank, c->number, i), c->out[i] = -1;
  const int reduces = c->kind == allreduce || c->kind == reduce_block || c->kind == reduce_uneven || (c->kind == reduce && at_root);
  if (c->in_place && reduces) {
    memcpy(c->out, c->in, sizeof(int) * (size_t)all);
    in = MPI_IN_PLACE;
  }
  switch (c->kind) {
    case bcast:
      if (at_root) memcpy(c->out, c->in, sizeof(int) * (size_t)n);
      MPI_Ibcast(c->out, n, MPI_INT, c->root, comm, request);
      break;
    case allreduce:
      MPI_Iallreduce(in, c->out, n, MPI_INT, MPI_SUM, comm, request);
      break;
    case gather:
      MPI_Igather(in, n, MPI_INT, at_root ? c->out : NULL, n, at_root ? MPI_INT : MPI_DATATYPE_NULL, c->root, comm, request);
      break;
    case scatter:
      MPI_Iscatter(at_root ? in : NULL, n, at_root ? MPI_INT : MPI_DATATYPE_NULL, c->out, n, MPI_INT, c->root, comm, request);
      break;
    case allgather:
      if (c->in_place) {
        memcpy(c->out + world_rank * n, c->in, sizeof(int) * (size_t)n);
        in = MPI_IN_PLACE;
      }
      MPI_Iallgather(in, n, MPI_INT, c->out, n, MPI_INT, comm, request);
      break;
    case alltoall:
      if (c->in_place) {
        memcpy(c->out, c->in, sizeof(int) * (size_t)all);
        in = MPI_IN_PLACE;
      }
      MPI_Ialltoall(in, n, MPI_INT, c->out, n, MPI_INT, comm, request);
      break;
    case reduce_block:
      MPI_Ireduce_scatter_block(in, c->out, n, MPI_INT, MPI_SUM, comm, request);
      break;
    case reduce:
      MPI_Ireduce(in, at_root ? c->out : NULL, n, MPI_INT, MPI_SUM, c->root, comm, request);
      break;
    case allgatherv:
      if (c->in_place) {
        memcpy(c->out + c->places[world_rank], c->in, sizeof(int) * (size_t)mine);
        in = MPI_IN_PLACE;
      }
      MPI_Iallgatherv(in, mine, MPI_INT, c->out, c->counts, c->places, MPI_INT, comm, request);
      break;
    case reduce_uneven:
      MPI_Ireduce_scatter(in, c->out, c->counts, MPI_INT, MPI_SUM, comm, request);
      break;
    case gatherv:
      MPI_Igatherv(in, mine, MPI_INT, c->out, c->counts, c->places, MPI_INT, c->root, comm, request);
      break;
    case scatterv:
      MPI_Iscatterv(in, c->counts, c->places, MPI_INT, c->out, mine, MPI_INT, c->root, comm, request);
      break;
    default: {  // alltoallv: all send as many to a rank as it says that it receives
      static int counts[under_way][most_ranks], places[under_way][most_ranks];
      int* to = counts[c->number % under_way];
      int* at = places[c->number % under_way];
      for (int r = 0; r < world_size; r++) to[r] = mine, at[r] = r * mine;
      MPI_Ialltoallv(in, c->counts, c->places, MPI_INT, c->out, to, at, MPI_INT, comm, request);
      break;
    }
  }
}

static void check(const struct Call* c, int at, int n, int right, int step, const char* where) {
  for (int i = 0; i < n; i++)
    CHECK(c->out[at + i] == right + i * step, "%s: kind %d, call %d, count %d, root %d, in place %d, element %d: %d instead of %d", where,
          (int)c->kind, c->number, c->count, c->root, c->in_place, at + i, c->out[at + i], right + i * step);
}

static void verify(const struct Call* c, const char* where) {
  const int at_root = world_rank == c->root, n = c->count, me = world_rank, mine = c->counts[me], place = c->places[me];
  switch (c->kind) {
    case bcast:
      check(c, 0, n, value(c->root, c->number, 0), 1, where);
      break;
    case allreduce:
    case reduce:
      if (c->kind == allreduce || at_root) check(c, 0, n, sum_of(c->number, 0), world_size, where);
      break;
    case gather:
    case allgather:
      for (int r = 0; (c->kind == allgather || at_root) && r < world_size; r++)
        check(c, r * n, n, value(r, c->number, 0), 1, where);
      break;
    case scatter:
      check(c, 0, n, value(c->root, c->number, me * n), 1, where);
      break;
    case alltoall:
      for (int r = 0; r < world_size; r++) check(c, r * n, n, value(r, c->number, me * n), 1, where);
      break;
    case reduce_block:
      check(c, 0, n, sum_of(c->number, me * n), world_size, where);
      break;
    case reduce_uneven:
      check(c, 0, mine, sum_of(c->number, place), world_size, where);
      break;
    case gatherv:
    case allgatherv:
      for (int r = 0; (c->kind == allgatherv || at_root) && r < world_size; r++)
        check(c, c->places[r], c->counts[r], value(r, c->number, 0), 1, where);
      break;
    case scatterv:
      check(c, 0, mine, value(c->root, c->number, place), 1, where);
      break;
    default:
      for (int r = 0; r < world_size; r++) check(c, r * mine, mine, value(r, c->number, place), 1, where);
      break;
  }
}

static struct Call calls[under_way];

static void mixed(void) {
  MPI_Request requests[under_way];
  for (int round = 0; round < rounds; round++) {
    for (int k = 0; k < under_way; k++) {
      plan(&calls[k], round * under_way + k);
      start(&calls[k], &requests[k]);
      const uint64_t own = mix((unsigned)(round * 100 + k) * 31u + (unsigned)world_rank);  // each rank is late elsewhere
      if (own % 16 == 0) usleep((useconds_t)(own / 64 % 300));
      if (mix((unsigned)(round * 55 + k)) % 6 == 0) {  // a blocking one, while others are under way
        int data[5000];
        for (int i = 0; i < 5000; i++) data[i] = world_rank + i;
        MPI_Allreduce(MPI_IN_PLACE, data, k % 2 == 0 ? 1 : 5000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < (k % 2 == 0 ? 1 : 5000); i++)
          CHECK(data[i] == world_size * i + world_size * (world_size - 1) / 2, "blocking sum among nonblocking ones: %d", data[i]);
      }
    }
    for (int left = under_way; left > 0; left--) {  // in an order of its own at each rank
      int which = (int)(mix((unsigned)(round + left * 77 + world_rank)) % (unsigned)under_way);
      while (requests[which] == MPI_REQUEST_NULL) which = (which + 1) % under_way;
      if (left % 3 == 0) {
        MPI_Waitany(under_way, requests, &which, MPI_STATUS_IGNORE);
      } else {
        MPI_Wait(&requests[which], MPI_STATUS_IGNORE);
      }
      verify(&calls[which], "mixed");
    }
  }
}

// The same call again and again, with other data.
static void persistent(void) {
  enum { starts = 12, n = 20000 };
  MPI_Request requests[3];
  static int in[n], sum[n], copy[n];
  static int blocks[n * most_ranks];
  const int root = world_size - 1;
  MPI_Allreduce_init(in, sum, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Bcast_init(copy, n, MPI_INT, root, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
  MPI_Allgather_init(in, n, MPI_INT, blocks, n, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
  for (int turn = 0; turn < starts; turn++) {
    for (int i = 0; i < n; i++) in[i] = value(world_rank, turn, i), copy[i] = world_rank == root ? in[i] : -1;
    MPI_Startall(3, requests);
    if (turn % 4 == world_rank % 4) usleep(100);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++) {
      CHECK(sum[i] == sum_of(turn, i), "persistent sum, start %d, element %d", turn, i);
      CHECK(copy[i] == value(root, turn, i), "persistent broadcast, start %d, element %d", turn, i);
      for (int r = 0; r < world_size; r++)
        CHECK(blocks[r * n + i] == value(r, turn, i), "persistent all-gather, start %d, element %d of rank %d", turn, i, r);
    }
  }
  for (int k = 0; k < 3; k++) MPI_Request_free(&requests[k]);
}

// A start is local: rank 0 begins only when rank 1 has started all of its own and says so.
static void starts_are_local(void) {
  MPI_Request requests[under_way];
  int go = 1;
  if (world_rank == 0 && world_size > 1) MPI_Recv(&go, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int k = 0; k < under_way; k++) {
    plan(&calls[k], 5000 + k);
    start(&calls[k], &requests[k]);
  }
  if (world_rank == 1) MPI_Send(&go, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
  MPI_Waitall(under_way, requests, MPI_STATUSES_IGNORE);
  for (int k = 0; k < under_way; k++) verify(&calls[k], "waits for a message");
}

// Types with gaps, on one side of some calls.
static void gaps(void) {
  enum { n = 9000 };
  static int packed[n], spread[2 * n];
  MPI_Datatype vector, strided;
  MPI_Request request;
  MPI_Type_vector(1, 1, 2, MPI_INT, &vector);
  MPI_Type_create_resized(vector, 0, 2 * sizeof(int), &strided);
  MPI_Type_commit(&strided);
  for (int i = 0; i < n; i++) packed[i] = world_rank == 0 ? i : -1;
  for (int i = 0; i < 2 * n; i++) spread[i] = -1;
  if (world_rank % 2 == 0) {
    MPI_Ibcast(packed, n, MPI_INT, 0, MPI_COMM_WORLD, &request);
  } else {
    MPI_Ibcast(spread, n, strided, 0, MPI_COMM_WORLD, &request);
  }
  MPI_Type_free(&strided);  // its last use is still under way
  MPI_Type_free(&vector);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++) {
    if (world_rank % 2 == 0) CHECK(packed[i] == i, "broadcast, element %d: %d", i, packed[i]);
    if (world_rank % 2 == 1) CHECK(spread[2 * i] == i && spread[2 * i + 1] == -1, "strided broadcast, element %d: %d", i, spread[2 * i]);
  }
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  for (int k = 0; k < under_way; k++) {
    calls[k].in = malloc(sizeof(int) * most_count);
    calls[k].out = malloc(sizeof(int) * most_count);
  }
  mixed();  // by messages
  for (int i = 0; i < 4; i++) {  // small and large blocking calls: slots and cells come to be
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(calls[0].out, most_count, MPI_INT, 0, MPI_COMM_WORLD);
  }
  mixed();
  persistent();
  mixed();
  starts_are_local();
  gaps();
  for (int k = 0; k < under_way; k++) {
    free(calls[k].in);
    free(calls[k].out);
  }
  return check_finish();
}
