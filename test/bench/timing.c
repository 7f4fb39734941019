// SPDX-License-Identifier: BSD-3-Clause
// How the benchmark measures: batches of calls, the largest time over the ranks, medians; and the line time of the machine.
#define _GNU_SOURCE
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void largest_over_ranks(double* values, int count) {
  MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static int next_slot(const struct Job* job, int iteration) {
  const int group = job->window;
  return iteration * group % (job->slots / group * group);
}

// The time of one call in seconds, on this rank.
static double batch(const struct Job* job, int first, int calls, int synchronised) {
  double spent = 0, start;
  MPI_Barrier(MPI_COMM_WORLD);
  if (!synchronised) {
    start = now_s();
    for (int i = first; i < first + calls; i++) job->operation->call(job, next_slot(job, i), i);
    return (now_s() - start) / calls;
  }
  for (int i = first; i < first + calls; i++) {
    MPI_Barrier(MPI_COMM_WORLD);
    start = now_s();
    job->operation->call(job, next_slot(job, i), i);
    spent += now_s() - start;
  }
  return spent / calls;
}

static void prepare(const struct Job* job, int first, int count) {
  for (int s = first; s < first + count; s++) job->operation->prepare(job, send_at(job, s), s);
}

static long wrong_after_call(const struct Job* job, int iteration) {
  const int slot = next_slot(job, iteration), used = job->window;
  memset(recv_at(job, slot), 0, job->recv_stride * (size_t)used);
  prepare(job, slot, used);
  MPI_Barrier(MPI_COMM_WORLD);
  job->operation->call(job, slot, iteration);
  long wrong = job->operation->check(job, slot, iteration);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

// The largest over the ranks of the fastest of `tries` batches.
static double fastest_of(const struct Job* job, const struct Options* o, int calls, int tries) {
  double times[3];
  for (int t = 0; t < tries; t++) times[t] = batch(job, 1, calls, o->synchronised);
  largest_over_ranks(times, tries);
  qsort(times, (size_t)tries, sizeof(double), by_value);
  return times[0];
}

// The least number of calls in a batch: each rank is the root of a collective once. In fewer, ranks that did not run
// meanwhile find the data there when they come, and nobody measures how long it took.
static int least_calls(const struct Job* job) { return job->ranks; }

// Doubles the calls until a batch is long enough to be timed; all ranks agree on the number. A batch that was long because
// the machine was
// busy elsewhere must not end the search: it counts only when it is long again.
static int calls_a_batch(const struct Job* job, const struct Options* o, double* call_s) {
  int calls = least_calls(job);
  for (;; calls *= 2) {
    *call_s = fastest_of(job, o, calls, 1);
    if (*call_s * calls >= o->batch_s / 2 && *call_s * calls < o->limit_s)
      *call_s = fmin(*call_s, fastest_of(job, o, calls, 3));
    if (*call_s * calls >= o->batch_s / 2 || calls >= 1 << 20) break;
  }
  return (int)fmax(least_calls(job), fmin(o->batch_s / *call_s, 1 << 20));
}

struct Figures measure(const struct Job* job, const struct Options* o) {
  struct Figures f = {0};
  double times[most_repeats], call_s = 0;
  prepare(job, 0, job->slots);
  for (int i = 0; i < 2; i++) f.wrong += wrong_after_call(job, i);
  f.calls_a_batch = calls_a_batch(job, o, &call_s);
  f.batches = o->repeats;
  // Slow calls: fewer batches.
  const double batch_s = f.calls_a_batch * call_s;
  if (f.batches * batch_s > o->limit_s)
    f.batches = (int)fmin(f.batches, fmax(batch_s > o->limit_s ? 1 : 5, o->limit_s / batch_s));
  for (int b = 0; b < f.batches; b++) times[b] = batch(job, b * f.calls_a_batch, f.calls_a_batch, o->synchronised);
  largest_over_ranks(times, f.batches);
  qsort(times, (size_t)f.batches, sizeof(double), by_value);
  const double scale = 1e6 / (job->window * job->operation->in_a_row);
  f.median_us = times[f.batches / 2] * scale;
  f.least_us = times[0] * scale;
  f.wrong += wrong_after_call(job, 1);
  return f;
}

// ---- The line time

static int core_of(int cpu) {
  char path[96];
  int core = -1, package = 0;
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/core_id", cpu);
  FILE* file = fopen(path, "r");
  if (!file) return cpu;
  if (fscanf(file, "%d", &core) != 1) core = cpu;
  fclose(file);
  snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
  file = fopen(path, "r");
  if (file) {
    if (fscanf(file, "%d", &package) != 1) package = 0;
    fclose(file);
  }
  return package * 65536 + core;
}

static int bind_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

// Two processors on different cores that this process may use. A launcher's binding does not count: the kernel lets us leave
// it.
static int two_cores(int cpus[2]) {
  cpu_set_t before;
  int found = 0;
  sched_getaffinity(0, sizeof before, &before);
  const long configured = sysconf(_SC_NPROCESSORS_CONF);
  for (int cpu = 0; cpu < configured && found < 2; cpu++) {
    if (!bind_to(cpu)) continue;
    if (found == 1 && core_of(cpu) == core_of(cpus[0])) continue;
    cpus[found++] = cpu;
  }
  sched_setaffinity(0, sizeof before, &before);
  return found == 2;
}

struct Lines {
  _Alignas(64) _Atomic unsigned there;
  _Alignas(64) _Atomic unsigned back;
  _Alignas(64) double one_way_us;
};

// Many short rounds: the median is one in which no other process took a core away.
enum { hand_overs = 200, rounds_of_line_time = 2001 };

static void answer(struct Lines* lines) {
  for (unsigned i = 1; i <= (unsigned)hand_overs * rounds_of_line_time; i++) {
    while (atomic_load_explicit(&lines->there, memory_order_acquire) != i) continue;
    atomic_store_explicit(&lines->back, i, memory_order_release);
  }
}

static void ask(struct Lines* lines) {
  double times[rounds_of_line_time];
  unsigned i = 1;
  for (int round = 0; round < rounds_of_line_time; round++) {
    const double start = now_s();
    for (int k = 0; k < hand_overs; k++, i++) {
      atomic_store_explicit(&lines->there, i, memory_order_release);
      while (atomic_load_explicit(&lines->back, memory_order_acquire) != i) continue;
    }
    times[round] = (now_s() - start) / hand_overs / 2 * 1e6;
  }
  qsort(times, rounds_of_line_time, sizeof(double), by_value);
  lines->one_way_us = times[rounds_of_line_time / 2];
}

static double hand_over_us(void) {
  int cpus[2];
  pid_t children[2];
  double result = 0;
  if (!two_cores(cpus)) return 0;
  struct Lines* lines = mmap(NULL, sizeof *lines, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (lines == MAP_FAILED) return 0;
  for (int i = 0; i < 2; i++) {
    children[i] = fork();
    if (children[i] == 0) {
      if (!bind_to(cpus[i])) _exit(1);
      alarm(20);  // a lost partner must not leave this one spinning
      if (i == 0) {
        ask(lines);
      } else {
        answer(lines);
      }
      _exit(0);
    }
  }
  for (int i = 0; i < 2; i++)
    if (children[i] > 0) waitpid(children[i], NULL, 0);
  result = lines->one_way_us;
  munmap(lines, sizeof *lines);
  return result;
}

double line_time_us(void) {
  double value = 0;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) {
    usleep(20000);
    value = hand_over_us();
    for (int r = 1; r < ranks; r++) MPI_Send(&value, 1, MPI_DOUBLE, r, 0, MPI_COMM_WORLD);
    return value;
  }
  MPI_Request request;
  int done = 0;
  MPI_Irecv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &request);
  while (!done) {  // the cores belong to the measurement
    usleep(5000);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  return value;
}
