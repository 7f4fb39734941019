// SPDX-License-Identifier: BSD-3-Clause
// The parts of the benchmark and what they share. It sees <mpi.h> alone, so that the same source measures every MPI.
//
//   bench.c        options and the walk over operations and sizes
//   timing.c       batches, medians, and the line time of the machine
//   pt2pt.c        latency, bandwidth, both ways, message rate
//   collectives.c  one row of a table per collective
//   output.c       what is printed
//
// A measurement: `repeats` batches of k calls back to back; a batch's time is the largest over the ranks, divided by k. The
// median and
// the least of the batches are reported, and the median as a multiple of the line time: the time a cache line takes from one
// core to another,
// which makes figures of different machines comparable. Results are verified before the first and after the last batch.
#pragma once

#include <mpi.h>
#include <stddef.h>

enum { most_ranks = 1024, most_repeats = 101, most_sizes = 64 };

struct Options {
  const char* operations;  // comma separated; "all"
  size_t sizes[most_sizes];
  int size_count;
  int repeats;
  double batch_s;  // a batch lasts about this long
  double limit_s;  // no further sizes of an operation once a single call takes longer
  int rotate;  // walk through many buffers, so that the data are not in the cache of the core; else the same buffer again
               // and again
  int synchronised;     // a barrier before every call; only the call is timed
  size_t memory_bytes;  // for the buffers of one rank
  int hello;            // only initialise, meet, report memory and end
  int list;
  int no_line;  // the line time is not measured
};

// One operation at one size. Buffers are divided into `slots`, each large enough for one call.
struct Job {
  const struct Operation* operation;
  size_t bytes;  // the size that is reported
  int rank, ranks;
  char *send, *recv;
  size_t send_stride, recv_stride;
  int slots;
  int window;            // messages in flight in one call
  int *counts, *places;  // of the v-forms, for all ranks
};

// What one operation calls. Another form of it (nonblocking, persistent) is another row with its own `call`.
struct Operation {
  const char* name;
  const char* form;  // "blocking" ...
  int window;        // messages in flight at the same time, each with its own buffer; fewer where they are large
  int in_a_row;      // messages one after the other; the time of a call is divided by both
  int even_ranks;    // needs pairs of ranks
  size_t unit;       // sizes are rounded up to a multiple of this; 0: has no data, only one size is run
  size_t largest;    // larger sizes are left out; 0: none
  void (*setup)(const struct Job*);  // of counts and places; may be NULL
  size_t (*send_bytes)(const struct Job*);
  size_t (*recv_bytes)(const struct Job*);
  void (*prepare)(const struct Job*, char* send, int slot);
  void (*call)(const struct Job*, int slot, int iteration);
  // The number of wrong elements after the call with that slot and iteration.
  long (*check)(const struct Job*, int slot, int iteration);
};

extern const struct Operation pt2pt_operations[];
extern const int pt2pt_operation_count;
extern const struct Operation collective_operations[];
extern const int collective_operation_count;

struct Figures {
  double median_us, least_us;
  long wrong;
  int calls_a_batch, batches;
};

// timing.c
double now_s(void);
struct Figures measure(const struct Job* job, const struct Options* options);
// The time of a cache line from one core to another, one way; 0 where there are no two cores. Rank 0 measures while the
// others sleep.
double line_time_us(void);

// The buffers of a slot.
static inline char* send_at(const struct Job* job, int slot) {
  return job->send + job->send_stride * (size_t)(slot % job->slots);
}

static inline char* recv_at(const struct Job* job, int slot) {
  return job->recv + job->recv_stride * (size_t)(slot % job->slots);
}

// output.c
void print_header(double line_us, int ranks);
void print_figures(const struct Job* job, const struct Options* options, const struct Figures* figures, double line_us);
void print_skipped(const struct Operation* operation, size_t bytes, int ranks, const char* why);
void print_hello(void);
