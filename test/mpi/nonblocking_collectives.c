// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking and persistent collectives give what the blocking ones give, also when several are under way at once.
//
// run: np=1,2,3,4,5,8 timeout=60
// run: np=4 timeout=60 env=OMPI_LITE_TRANSPORTS=self,tcp
#include "../support/check.h"

enum { kMost = 3000, kRoots = 2 };

static int input[8 * kMost], expected[8 * kMost], now[8 * kMost], often[8 * kMost];
static int counts[64], places[64];

enum { kBcast, kGather, kScatter, kAllgather, kAllgatherv, kAlltoall, kAlltoallv, kReduce, kAllreduce, kReduceScatterBlock,
       kScan, kExscan, kOperations };
enum { kBlocking, kNonblocking, kPersistent };

static void run(int form, int operation, int n, int root, int* out, MPI_Request* request) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int* in = input;
  switch (operation * 3 + form) {
    case kBcast * 3 + kBlocking: MPI_Bcast(out, n, MPI_INT, root, comm); break;
    case kBcast * 3 + kNonblocking: MPI_Ibcast(out, n, MPI_INT, root, comm, request); break;
    case kBcast * 3 + kPersistent: MPI_Bcast_init(out, n, MPI_INT, root, comm, MPI_INFO_NULL, request); break;
    case kGather * 3 + kBlocking: MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, root, comm); break;
    case kGather * 3 + kNonblocking: MPI_Igather(in, n, MPI_INT, out, n, MPI_INT, root, comm, request); break;
    case kGather * 3 + kPersistent: MPI_Gather_init(in, n, MPI_INT, out, n, MPI_INT, root, comm, MPI_INFO_NULL, request); break;
    case kScatter * 3 + kBlocking: MPI_Scatter(in, n, MPI_INT, out, n, MPI_INT, root, comm); break;
    case kScatter * 3 + kNonblocking: MPI_Iscatter(in, n, MPI_INT, out, n, MPI_INT, root, comm, request); break;
    case kScatter * 3 + kPersistent: MPI_Scatter_init(in, n, MPI_INT, out, n, MPI_INT, root, comm, MPI_INFO_NULL, request); break;
    case kAllgather * 3 + kBlocking: MPI_Allgather(in, n, MPI_INT, out, n, MPI_INT, comm); break;
    case kAllgather * 3 + kNonblocking: MPI_Iallgather(in, n, MPI_INT, out, n, MPI_INT, comm, request); break;
    case kAllgather * 3 + kPersistent: MPI_Allgather_init(in, n, MPI_INT, out, n, MPI_INT, comm, MPI_INFO_NULL, request); break;
    case kAllgatherv * 3 + kBlocking: MPI_Allgatherv(in, counts[world_rank], MPI_INT, out, counts, places, MPI_INT, comm); break;
    case kAllgatherv * 3 + kNonblocking:
      MPI_Iallgatherv(in, counts[world_rank], MPI_INT, out, counts, places, MPI_INT, comm, request);
      break;
    case kAllgatherv * 3 + kPersistent:
      MPI_Allgatherv_init(in, counts[world_rank], MPI_INT, out, counts, places, MPI_INT, comm, MPI_INFO_NULL, request);
      break;
    case kAlltoall * 3 + kBlocking: MPI_Alltoall(in, n, MPI_INT, out, n, MPI_INT, comm); break;
    case kAlltoall * 3 + kNonblocking: MPI_Ialltoall(in, n, MPI_INT, out, n, MPI_INT, comm, request); break;
    case kAlltoall * 3 + kPersistent: MPI_Alltoall_init(in, n, MPI_INT, out, n, MPI_INT, comm, MPI_INFO_NULL, request); break;
    case kAlltoallv * 3 + kBlocking: {
      int mine[64], at[64];
      for (int i = 0; i < world_size; i++) mine[i] = counts[world_rank], at[i] = i * counts[world_rank];
      MPI_Alltoallv(in, mine, at, MPI_INT, out, counts, places, MPI_INT, comm);
      break;
    }
    case kAlltoallv * 3 + kNonblocking: {
      int mine[64], at[64];
      for (int i = 0; i < world_size; i++) mine[i] = counts[world_rank], at[i] = i * counts[world_rank];
      MPI_Ialltoallv(in, mine, at, MPI_INT, out, counts, places, MPI_INT, comm, request);
      MPI_Wait(request, MPI_STATUS_IGNORE);  // the arrays must live until then
      break;
    }
    case kReduce * 3 + kBlocking: MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, root, comm); break;
    case kReduce * 3 + kNonblocking: MPI_Ireduce(in, out, n, MPI_INT, MPI_SUM, root, comm, request); break;
    case kReduce * 3 + kPersistent: MPI_Reduce_init(in, out, n, MPI_INT, MPI_SUM, root, comm, MPI_INFO_NULL, request); break;
    case kAllreduce * 3 + kBlocking: MPI_Allreduce(in, out, n, MPI_INT, MPI_MAX, comm); break;
    case kAllreduce * 3 + kNonblocking: MPI_Iallreduce(in, out, n, MPI_INT, MPI_MAX, comm, request); break;
    case kAllreduce * 3 + kPersistent: MPI_Allreduce_init(in, out, n, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, request); break;
    case kReduceScatterBlock * 3 + kBlocking: MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, comm); break;
    case kReduceScatterBlock * 3 + kNonblocking: MPI_Ireduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, comm, request); break;
    case kReduceScatterBlock * 3 + kPersistent:
      MPI_Reduce_scatter_block_init(in, out, n, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, request);
      break;
    case kScan * 3 + kBlocking: MPI_Scan(in, out, n, MPI_INT, MPI_SUM, comm); break;
    case kScan * 3 + kNonblocking: MPI_Iscan(in, out, n, MPI_INT, MPI_SUM, comm, request); break;
    case kScan * 3 + kPersistent: MPI_Scan_init(in, out, n, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, request); break;
    case kExscan * 3 + kBlocking: MPI_Exscan(in, out, n, MPI_INT, MPI_SUM, comm); break;
    case kExscan * 3 + kNonblocking: MPI_Iexscan(in, out, n, MPI_INT, MPI_SUM, comm, request); break;
    case kExscan * 3 + kPersistent: MPI_Exscan_init(in, out, n, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, request); break;
    default: *request = MPI_REQUEST_NULL;
  }
}

static void prepare(int* out, int root, int round) {
  for (int i = 0; i < 8 * kMost; i++) {
    input[i] = (i * 31 + world_rank * 7 + round * 101) % 1000;
    out[i] = world_rank == root ? i + round : -1;  // what a broadcast sends
  }
}

static void compare(int operation, int n, int round, const int* out, const char* form) {
  for (int i = 0; i < 8 * kMost; i++)
    CHECK(out[i] == expected[i], "%s operation %d, %d elements, round %d: [%d] is %d, not %d", form, operation, n, round, i, out[i],
          expected[i]);
}

static void each_alone(int operation, int n, int root) {
  MPI_Request request = MPI_REQUEST_NULL;
  prepare(expected, root, 0);
  run(kBlocking, operation, n, root, expected, NULL);
  prepare(now, root, 0);
  run(kNonblocking, operation, n, root, now, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(request == MPI_REQUEST_NULL, "the request of operation %d is still there", operation);
  compare(operation, n, 0, now, "nonblocking");
  if (operation == kAlltoallv) return;
  run(kPersistent, operation, n, root, often, &request);
  for (int round = 1; round < 4; round++) {
    prepare(expected, root, round);
    run(kBlocking, operation, n, root, expected, NULL);
    prepare(often, root, round);
    MPI_Start(&request);
    int done = 0;
    while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    compare(operation, n, round, often, "persistent");
  }
  MPI_Request_free(&request);
}

// Many under way at once, waited for in the reverse order, with messages of the program in between.
static void all_at_once(void) {
  enum { kMany = 24 };
  static int from[kMany][100], to[kMany][100];
  MPI_Request requests[kMany + 2];
  for (int k = 0; k < kMany; k++) {
    for (int i = 0; i < 100; i++) from[k][i] = world_rank + k + i;
    MPI_Iallreduce(from[k], to[k], k % 2 == 0 ? 1 : 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[k]);
  }
  int sent = world_rank, got = -1, right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  MPI_Irecv(&got, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[kMany]);
  MPI_Isend(&sent, 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[kMany + 1]);
  for (int k = kMany + 1; k >= 0; k--) MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
  CHECK(got == left, "got %d from %d", got, left);
  const int ranks = world_size * (world_size - 1) / 2;
  for (int k = 0; k < kMany; k++)
    for (int i = 0; i < (k % 2 == 0 ? 1 : 100); i++)
      CHECK(to[k][i] == ranks + world_size * (k + i), "call %d element %d is %d", k, i, to[k][i]);
}

// A barrier lets nobody through before all have come; a request that was freed while under way still does its work.
static void barriers(void) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  int value = world_rank == 0 ? 42 : 0;
  MPI_Request freed;
  MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &freed);
  MPI_Request_free(&freed);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  CHECK(request != MPI_REQUEST_NULL, "a barrier without a request");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  const int sizes[] = {0, 1, 17, kMost};
  int most = 8 * kMost / (world_size > 8 ? world_size : 8);
  for (int k = 0; k < 4; k++) {
    const int n = sizes[k] > most ? most : sizes[k];
    for (int i = 0, at = 0; i < world_size; i++) {
      counts[i] = i % 3 == 1 ? 0 : n / (i + 1);
      places[i] = at;
      at += counts[i];
    }
    for (int operation = 0; operation < kOperations; operation++)
      for (int root = 0; root < (world_size < kRoots ? world_size : kRoots); root++) each_alone(operation, n, root);
  }
  all_at_once();
  barriers();
  return check_finish();
}
