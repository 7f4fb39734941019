// SPDX-License-Identifier: BSD-3-Clause
// The benchmark's options and its walk over operations and sizes.
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: bench [--ops=NAME,...] [--sizes=BYTES,...|MIN:MAX] [--repeats=N] [--batch=SECONDS] [--limit=SECONDS]\n"
    "             [--rotate] [--sync] [--memory=BYTES] [--hello] [--list] [--no-line]\n"
    "--sizes MIN:MAX walks in powers of two; K and M are understood. --rotate walks through many buffers. --sync meets\n"
    "in a barrier before every call and times the call alone. --hello only reports the memory of a started rank.\n"
    "--no-line does not measure the line time of the machine.\n";

static size_t bytes_of(const char* text, char** end) {
  size_t value = strtoull(text, end, 10);
  if (**end == 'K' || **end == 'k') value <<= 10, (*end)++;
  if (**end == 'M' || **end == 'm') value <<= 20, (*end)++;
  return value;
}

static int parse_sizes(const char* text, struct Options* o) {
  char* at = NULL;
  o->size_count = 0;
  size_t value = bytes_of(text, &at);
  if (*at == ':') {
    const size_t last = bytes_of(at + 1, &at);
    for (; value <= last && o->size_count < most_sizes; value *= 2) o->sizes[o->size_count++] = value ? value : 1;
    return *at == 0;
  }
  o->sizes[o->size_count++] = value;
  while (*at == ',' && o->size_count < most_sizes) o->sizes[o->size_count++] = bytes_of(at + 1, &at);
  return *at == 0;
}

static int parse(int argc, char** argv, struct Options* o) {
  for (int i = 1; i < argc; i++) {
    const char* value = strchr(argv[i], '=');
    const size_t name = value ? (size_t)(value - argv[i]) : strlen(argv[i]);
    value = value ? value + 1 : "";
#define IS(text) (strlen(text) == name && strncmp(argv[i], text, name) == 0)
    if (IS("--ops")) {
      o->operations = value;
    } else if (IS("--sizes")) {
      if (!parse_sizes(value, o)) return 0;
    } else if (IS("--repeats")) {
      o->repeats = atoi(value);
    } else if (IS("--batch")) {
      o->batch_s = atof(value);
    } else if (IS("--limit")) {
      o->limit_s = atof(value);
    } else if (IS("--memory")) {
      char* end = NULL;
      o->memory_bytes = bytes_of(value, &end);
    } else if (IS("--rotate")) {
      o->rotate = 1;
    } else if (IS("--sync")) {
      o->synchronised = 1;
    } else if (IS("--hello")) {
      o->hello = 1;
    } else if (IS("--list")) {
      o->list = 1;
    } else if (IS("--no-line")) {
      o->no_line = 1;
    } else {
      return 0;
    }
#undef IS
  }
  return o->repeats >= 1 && o->repeats <= most_repeats && o->batch_s > 0;
}

static int wanted(const char* list, const char* name) {
  if (strcmp(list, "all") == 0) return 1;
  const size_t length = strlen(name);
  for (const char* at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == 0)) return 1;
  return 0;
}

static size_t stride_of(size_t bytes) { return (bytes + 63) / 64 * 64 + 64; }  // slots share no cache line

// Reused buffers need slots only where several messages are in flight; rotated ones a pool that no cache of a core holds.
static int slot_count(const struct Job* job, const struct Options* o) {
  enum { pool_bytes = 32 << 20, most_slots = 8192 };
  const int in_flight = job->window;
  if (!o->rotate) return in_flight;
  size_t slots = pool_bytes / (job->send_stride + job->recv_stride);
  slots = slots < 2 ? 2 : slots > most_slots ? most_slots : slots;
  return (int)(slots < (size_t)in_flight ? (size_t)in_flight : slots);
}

static char* new_pool(size_t bytes) {
  void* memory = NULL;
  if (posix_memalign(&memory, 4096, bytes + 4096) != 0) {
    fprintf(stderr, "bench: no memory for %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  memset(memory, 0, bytes);
  return memory;
}

// Large messages need no deep window, and would make a call so long that no batch goes undisturbed.
static int window_of(const struct Operation* operation, size_t bytes) {
  enum { bytes_in_flight = 8 << 20 };
  int window = operation->window;
  while (window > 2 && bytes * (size_t)window > bytes_in_flight) window /= 2;
  return window;
}

// Returns the time of one call in seconds, or 0 when the size was left out.
static double run_size(struct Job* job, const struct Options* o, double line_us) {
  job->send_stride = stride_of(job->operation->send_bytes(job));
  job->recv_stride = stride_of(job->operation->recv_bytes(job));
  job->window = window_of(job->operation, job->bytes);
  job->slots = slot_count(job, o);
  const size_t send_bytes = job->send_stride * (size_t)job->slots, recv_bytes = job->recv_stride * (size_t)job->slots;
  if (send_bytes + recv_bytes > o->memory_bytes) {
    if (job->rank == 0) print_skipped(job->operation, job->bytes, job->ranks, "needs more memory than allowed");
    return 0;
  }
  job->send = new_pool(send_bytes);
  job->recv = new_pool(recv_bytes);
  const struct Figures figures = measure(job, o);
  if (job->rank == 0) print_figures(job, o, &figures, line_us);
  free(job->send);
  free(job->recv);
  if (figures.wrong) MPI_Abort(MPI_COMM_WORLD, 2);
  return figures.median_us * 1e-6;
}

static void run_operation(const struct Operation* operation, const struct Options* o, int rank, int ranks, double line_us) {
  static int counts[most_ranks], places[most_ranks];
  if (operation->even_ranks && ranks % 2 != 0) {
    if (rank == 0) print_skipped(operation, 0, ranks, "needs an even number of ranks");
    return;
  }
  for (int i = 0; i < (operation->unit ? o->size_count : 1); i++) {
    struct Job job = {.operation = operation, .rank = rank, .ranks = ranks, .counts = counts, .places = places};
    job.bytes = operation->unit ? (o->sizes[i] + operation->unit - 1) / operation->unit * operation->unit : 0;
    if (operation->largest && job.bytes > operation->largest) break;
    if (operation->setup) operation->setup(&job);
    if (run_size(&job, o, line_us) > o->limit_s) {
      if (rank == 0) print_skipped(operation, job.bytes, ranks, "this and larger sizes take too long");
      return;
    }
  }
}

static void run_table(const struct Operation* table, int count, const struct Options* o, int rank, int ranks,
                      double line_us) {
  for (int i = 0; i < count; i++) {
    if (!wanted(o->operations, table[i].name)) continue;
    if (o->list) {
      if (rank == 0) printf("%s\n", table[i].name);
    } else {
      run_operation(&table[i], o, rank, ranks, line_us);
    }
  }
}

int main(int argc, char** argv) {
  struct Options o = {
      .operations = "all", .repeats = 31, .batch_s = 0.002, .limit_s = 0.5, .memory_bytes = (size_t)768 << 20};
  int rank, ranks;
  parse_sizes("4:16M", &o);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!parse(argc, argv, &o) || ranks > most_ranks) {
    if (rank == 0) fputs(usage, stderr);
    MPI_Finalize();
    return 1;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (o.hello) {
    print_hello();
  } else {
    const double line_us = o.list || o.no_line ? 0 : line_time_us();
    if (rank == 0 && !o.list) print_header(line_us, ranks);
    run_table(pt2pt_operations, pt2pt_operation_count, &o, rank, ranks, line_us);
    run_table(collective_operations, collective_operation_count, &o, rank, ranks, line_us);
  }
  MPI_Finalize();
  return 0;
}
