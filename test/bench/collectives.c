// SPDX-License-Identifier: BSD-3-Clause
// The collectives, blocking, and some of them nonblocking and persistent. Sizes: bytes of the vector for broadcast, reductions and scans; bytes of one rank's block for
// the others;
// for reduce_scatter the bytes of the whole vector. The root walks from call to call, so that no rank runs ahead of the
// others.
#include <string.h>

#include "bench.h"

static MPI_Datatype byte_types[most_ranks];

static size_t one(const struct Job* job) { return job->bytes; }

static size_t all(const struct Job* job) { return job->bytes * (size_t)job->ranks; }

static size_t nothing(const struct Job* job) {
  (void)job;
  return 0;
}

static int root_of(const struct Job* job, int iteration) { return iteration % job->ranks; }

// ---- Bytes: what rank `from` sends to rank `to`

static char byte_for(int from, int to, int slot, size_t at) {
  return (char)((size_t)(from * 7 + to * 11 + slot * 3 + 1) + at * 5);
}

// What all ranks get from this one is written as if it were for rank 0.
static void fill_one(const struct Job* job, char* send, int slot) {
  for (size_t i = 0; i < job->bytes; i++) send[i] = byte_for(job->rank, 0, slot, i);
}

static void fill_blocks(const struct Job* job, char* send, int slot) {
  for (int to = 0; to < job->ranks; to++)
    for (size_t i = 0; i < job->bytes; i++) send[(size_t)to * job->bytes + i] = byte_for(job->rank, to, slot, i);
}

static long wrong_in_block(const struct Job* job, const char* got, int from, int to, int slot) {
  long wrong = 0;
  for (size_t i = 0; i < job->bytes; i++) wrong += got[i] != byte_for(from, to, slot, i);
  return wrong;
}

static long wrong_in_blocks(const struct Job* job, int slot, int to) {
  long wrong = 0;
  for (int from = 0; from < job->ranks; from++)
    wrong += wrong_in_block(job, recv_at(job, slot) + (size_t)from * job->bytes, from, to, slot);
  return wrong;
}

static long check_from_root(const struct Job* job, int slot, int iteration) {
  const int root = root_of(job, iteration);
  return job->rank == root ? 0 : wrong_in_block(job, recv_at(job, slot), root, 0, slot);
}

static long check_block_from_root(const struct Job* job, int slot, int iteration) {
  return wrong_in_block(job, recv_at(job, slot), root_of(job, iteration), job->rank, slot);
}

static long check_gathered(const struct Job* job, int slot, int iteration) {
  return job->rank == root_of(job, iteration) ? wrong_in_blocks(job, slot, 0) : 0;
}

static long check_all_gathered(const struct Job* job, int slot, int iteration) {
  (void)iteration;
  return wrong_in_blocks(job, slot, 0);
}

static long check_exchanged(const struct Job* job, int slot, int iteration) {
  (void)iteration;
  return wrong_in_blocks(job, slot, job->rank);
}

static long check_nothing(const struct Job* job, int slot, int iteration) {
  (void)job, (void)slot, (void)iteration;
  return 0;
}

static void fill_nothing(const struct Job* job, char* send, int slot) { (void)job, (void)send, (void)slot; }

// ---- Floats: small whole numbers, so that every order of summing gives the same

static float float_of(int rank, int slot, size_t at) { return (float)(((size_t)(rank * 3 + slot) + at) % 16); }

static void fill_floats(const struct Job* job, char* send, int slot) {
  float* values = (float*)(void*)send;
  for (size_t i = 0; i < job->operation->send_bytes(job) / sizeof(float); i++) values[i] = float_of(job->rank, slot, i);
}

static long wrong_sums(const struct Job* job, int slot, size_t first, size_t count, int ranks) {
  const float* got = (const float*)(const void*)recv_at(job, slot);
  long wrong = 0;
  for (size_t i = 0; i < count; i++) {
    float sum = 0;
    for (int r = 0; r < ranks; r++) sum += float_of(r, slot, first + i);
    wrong += got[i] != sum;
  }
  return wrong;
}

static size_t floats(const struct Job* job) { return job->bytes / sizeof(float); }

static long check_reduced(const struct Job* job, int slot, int iteration) {
  return job->rank == root_of(job, iteration) ? wrong_sums(job, slot, 0, floats(job), job->ranks) : 0;
}

static long check_all_reduced(const struct Job* job, int slot, int iteration) {
  (void)iteration;
  return wrong_sums(job, slot, 0, floats(job), job->ranks);
}

static long check_own_part(const struct Job* job, int slot, int iteration) {
  (void)iteration;
  return wrong_sums(job, slot, (size_t)job->places[job->rank], (size_t)job->counts[job->rank], job->ranks);
}

static long check_scan(const struct Job* job, int slot, int iteration) {
  (void)iteration;
  return wrong_sums(job, slot, 0, floats(job), job->rank + 1);
}

static long check_exscan(const struct Job* job, int slot, int iteration) {
  (void)iteration;
  return job->rank == 0 ? 0 : wrong_sums(job, slot, 0, floats(job), job->rank);
}

// ---- Counts

static void equal_blocks(const struct Job* job) {
  for (int r = 0; r < job->ranks; r++) {
    job->counts[r] = (int)job->bytes;
    job->places[r] = r * (int)job->bytes;
    byte_types[r] = MPI_BYTE;
  }
}

static void equal_floats(const struct Job* job) {
  for (int r = 0; r < job->ranks; r++) {
    job->counts[r] = (int)floats(job);
    job->places[r] = r * (int)floats(job);
  }
}

static void split_floats(const struct Job* job) {
  const int total = (int)floats(job), least = total / job->ranks, more = total % job->ranks;
  for (int r = 0, at = 0; r < job->ranks; r++) {
    job->counts[r] = least + (r < more);
    job->places[r] = at;
    at += job->counts[r];
  }
}

// ---- The calls

#define CALL(name) static void name(const struct Job* job, int slot, int iteration)
#define SEND send_at(job, slot)
#define RECV recv_at(job, slot)
#define WORLD MPI_COMM_WORLD
#define ROOT root_of(job, iteration)

CALL(barrier) {
  (void)job, (void)slot, (void)iteration;
  MPI_Barrier(WORLD);
}

CALL(bcast) {
  const int root = ROOT;
  MPI_Bcast(job->rank == root ? SEND : RECV, (int)job->bytes, MPI_BYTE, root, WORLD);
}

CALL(gather) { MPI_Gather(SEND, (int)job->bytes, MPI_BYTE, RECV, (int)job->bytes, MPI_BYTE, ROOT, WORLD); }

CALL(gatherv) { MPI_Gatherv(SEND, (int)job->bytes, MPI_BYTE, RECV, job->counts, job->places, MPI_BYTE, ROOT, WORLD); }

CALL(scatter) { MPI_Scatter(SEND, (int)job->bytes, MPI_BYTE, RECV, (int)job->bytes, MPI_BYTE, ROOT, WORLD); }

CALL(scatterv) { MPI_Scatterv(SEND, job->counts, job->places, MPI_BYTE, RECV, (int)job->bytes, MPI_BYTE, ROOT, WORLD); }

CALL(allgather) {
  (void)iteration;
  MPI_Allgather(SEND, (int)job->bytes, MPI_BYTE, RECV, (int)job->bytes, MPI_BYTE, WORLD);
}

CALL(allgatherv) {
  (void)iteration;
  MPI_Allgatherv(SEND, (int)job->bytes, MPI_BYTE, RECV, job->counts, job->places, MPI_BYTE, WORLD);
}

CALL(alltoall) {
  (void)iteration;
  MPI_Alltoall(SEND, (int)job->bytes, MPI_BYTE, RECV, (int)job->bytes, MPI_BYTE, WORLD);
}

CALL(alltoallv) {
  (void)iteration;
  MPI_Alltoallv(SEND, job->counts, job->places, MPI_BYTE, RECV, job->counts, job->places, MPI_BYTE, WORLD);
}

CALL(alltoallw) {
  (void)iteration;
  MPI_Alltoallw(SEND, job->counts, job->places, byte_types, RECV, job->counts, job->places, byte_types, WORLD);
}

CALL(reduce) { MPI_Reduce(SEND, RECV, (int)floats(job), MPI_FLOAT, MPI_SUM, ROOT, WORLD); }

CALL(allreduce) {
  (void)iteration;
  MPI_Allreduce(SEND, RECV, (int)floats(job), MPI_FLOAT, MPI_SUM, WORLD);
}

CALL(reduce_scatter) {
  (void)iteration;
  MPI_Reduce_scatter(SEND, RECV, job->counts, MPI_FLOAT, MPI_SUM, WORLD);
}

CALL(reduce_scatter_block) {
  (void)iteration;
  MPI_Reduce_scatter_block(SEND, RECV, (int)floats(job), MPI_FLOAT, MPI_SUM, WORLD);
}

CALL(scan) {
  (void)iteration;
  MPI_Scan(SEND, RECV, (int)floats(job), MPI_FLOAT, MPI_SUM, WORLD);
}

CALL(exscan) {
  (void)iteration;
  MPI_Exscan(SEND, RECV, (int)floats(job), MPI_FLOAT, MPI_SUM, WORLD);
}

// ---- Other forms: started and waited for at once, to be compared with the blocking call

CALL(ibarrier) {
  MPI_Request request;
  (void)job, (void)slot, (void)iteration;
  MPI_Ibarrier(WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

CALL(ibcast) {
  MPI_Request request;
  const int root = ROOT;
  MPI_Ibcast(job->rank == root ? SEND : RECV, (int)job->bytes, MPI_BYTE, root, WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

CALL(iallgather) {
  MPI_Request request;
  (void)iteration;
  MPI_Iallgather(SEND, (int)job->bytes, MPI_BYTE, RECV, (int)job->bytes, MPI_BYTE, WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

CALL(ialltoall) {
  MPI_Request request;
  (void)iteration;
  MPI_Ialltoall(SEND, (int)job->bytes, MPI_BYTE, RECV, (int)job->bytes, MPI_BYTE, WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

CALL(igather) {
  MPI_Request request;
  MPI_Igather(SEND, (int)job->bytes, MPI_BYTE, RECV, (int)job->bytes, MPI_BYTE, ROOT, WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

CALL(iscatter) {
  MPI_Request request;
  MPI_Iscatter(SEND, (int)job->bytes, MPI_BYTE, RECV, (int)job->bytes, MPI_BYTE, ROOT, WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

CALL(ireduce) {
  MPI_Request request;
  MPI_Ireduce(SEND, RECV, (int)floats(job), MPI_FLOAT, MPI_SUM, ROOT, WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

CALL(iallreduce) {
  MPI_Request request;
  (void)iteration;
  MPI_Iallreduce(SEND, RECV, (int)floats(job), MPI_FLOAT, MPI_SUM, WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

CALL(ireduce_scatter_block) {
  MPI_Request request;
  (void)iteration;
  MPI_Ireduce_scatter_block(SEND, RECV, (int)floats(job), MPI_FLOAT, MPI_SUM, WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

#if MPI_VERSION >= 4
// A request for each slot, as long as its buffers are the same.
enum { persistent_slots = 16 };
static struct Persistent {
  MPI_Request request;
  const char *send, *recv;
  size_t bytes;
} persistent_requests[persistent_slots];

CALL(pallreduce) {
  struct Persistent* kept = &persistent_requests[slot % job->slots % persistent_slots];
  (void)iteration;
  if (kept->bytes != job->bytes || kept->send != SEND || kept->recv != RECV) {
    if (kept->bytes != 0) MPI_Request_free(&kept->request);
    kept->bytes = job->bytes;
    kept->send = SEND;
    kept->recv = RECV;
    MPI_Allreduce_init(SEND, RECV, (int)floats(job), MPI_FLOAT, MPI_SUM, WORLD, MPI_INFO_NULL, &kept->request);
  }
  MPI_Start(&kept->request);
  MPI_Wait(&kept->request, MPI_STATUS_IGNORE);
}
#endif

static const char blocking[] = "blocking", nonblocking[] = "nonblocking";
#if MPI_VERSION >= 4
static const char persistent[] = "persistent";
#endif

const struct Operation collective_operations[] = {
    {"barrier", blocking, 1, 1, 0, 0, 0, NULL, nothing, nothing, fill_nothing, barrier, check_nothing},
    {"bcast", blocking, 1, 1, 0, 1, 0, NULL, one, one, fill_one, bcast, check_from_root},
    {"gather", blocking, 1, 1, 0, 1, 0, NULL, one, all, fill_one, gather, check_gathered},
    {"gatherv", blocking, 1, 1, 0, 1, 0, equal_blocks, one, all, fill_one, gatherv, check_gathered},
    {"scatter", blocking, 1, 1, 0, 1, 0, NULL, all, one, fill_blocks, scatter, check_block_from_root},
    {"scatterv", blocking, 1, 1, 0, 1, 0, equal_blocks, all, one, fill_blocks, scatterv, check_block_from_root},
    {"allgather", blocking, 1, 1, 0, 1, 0, NULL, one, all, fill_one, allgather, check_all_gathered},
    {"allgatherv", blocking, 1, 1, 0, 1, 0, equal_blocks, one, all, fill_one, allgatherv, check_all_gathered},
    {"alltoall", blocking, 1, 1, 0, 1, 0, NULL, all, all, fill_blocks, alltoall, check_exchanged},
    {"alltoallv", blocking, 1, 1, 0, 1, 0, equal_blocks, all, all, fill_blocks, alltoallv, check_exchanged},
    {"alltoallw", blocking, 1, 1, 0, 1, 0, equal_blocks, all, all, fill_blocks, alltoallw, check_exchanged},
    {"reduce", blocking, 1, 1, 0, 4, 0, NULL, one, one, fill_floats, reduce, check_reduced},
    {"allreduce", blocking, 1, 1, 0, 4, 0, NULL, one, one, fill_floats, allreduce, check_all_reduced},
    {"reduce_scatter", blocking, 1, 1, 0, 4, 0, split_floats, one, one, fill_floats, reduce_scatter, check_own_part},
    {"reduce_scatter_block", blocking, 1, 1, 0, 4, 0, equal_floats, all, one, fill_floats, reduce_scatter_block,
     check_own_part},
    {"scan", blocking, 1, 1, 0, 4, 0, NULL, one, one, fill_floats, scan, check_scan},
    {"exscan", blocking, 1, 1, 0, 4, 0, NULL, one, one, fill_floats, exscan, check_exscan},
    {"ibarrier", nonblocking, 1, 1, 0, 0, 0, NULL, nothing, nothing, fill_nothing, ibarrier, check_nothing},
    {"ibcast", nonblocking, 1, 1, 0, 1, 0, NULL, one, one, fill_one, ibcast, check_from_root},
    {"iallgather", nonblocking, 1, 1, 0, 1, 0, NULL, one, all, fill_one, iallgather, check_all_gathered},
    {"ialltoall", nonblocking, 1, 1, 0, 1, 0, NULL, all, all, fill_blocks, ialltoall, check_exchanged},
    {"igather", nonblocking, 1, 1, 0, 1, 0, NULL, one, all, fill_one, igather, check_gathered},
    {"iscatter", nonblocking, 1, 1, 0, 1, 0, NULL, all, one, fill_blocks, iscatter, check_block_from_root},
    {"ireduce", nonblocking, 1, 1, 0, 4, 0, NULL, one, one, fill_floats, ireduce, check_reduced},
    {"ireduce_scatter_block", nonblocking, 1, 1, 0, 4, 0, equal_floats, all, one, fill_floats, ireduce_scatter_block,
     check_own_part},
    {"iallreduce", nonblocking, 1, 1, 0, 4, 0, NULL, one, one, fill_floats, iallreduce, check_all_reduced},
#if MPI_VERSION >= 4
    {"pallreduce", persistent, 1, 1, 0, 4, 0, NULL, one, one, fill_floats, pallreduce, check_all_reduced},
#endif
};
const int collective_operation_count = sizeof collective_operations / sizeof collective_operations[0];
