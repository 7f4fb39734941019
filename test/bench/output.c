// SPDX-License-Identifier: BSD-3-Clause
// What the benchmark prints: a line per operation and size, fields parted by tabs, comments after "#".
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

void print_header(double line_us, int ranks) {
  char name[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(name, &length);
  name[strcspn(name, "\n")] = 0;
  printf("# library\t%s\n", name);
  printf("# line_us\t%.4f\n# ranks\t%d\n", line_us, ranks);
  printf("# op\tform\tbytes\tranks\tbuffers\tmedian_us\tleast_us\tlines\tMB_per_s\tcalls\n");
  fflush(stdout);
}

void print_figures(const struct Job* job, const struct Options* o, const struct Figures* f, double line_us) {
  const char* buffers = o->rotate ? "rotated" : "reused";
  printf("%s\t%s\t%zu\t%d\t%s%s\t%.3f\t%.3f\t%.2f\t%.0f\t%dx%d\n", job->operation->name, job->operation->form, job->bytes,
         job->ranks, buffers, o->synchronised ? "+sync" : "", f->median_us, f->least_us,
         line_us > 0 ? f->median_us / line_us : 0.0, (double)job->bytes / f->median_us, f->batches, f->calls_a_batch);
  if (f->wrong) printf("# WRONG\t%s\t%zu\t%ld elements\n", job->operation->name, job->bytes, f->wrong);
  fflush(stdout);
}

void print_skipped(const struct Operation* operation, size_t bytes, int ranks, const char* why) {
  printf("# skipped\t%s\t%zu\t%d\t%s\n", operation->name, bytes, ranks, why);
  fflush(stdout);
}

static long kilobytes_of(const char* path, const char* key) {
  char line[256];
  long value = 0;
  FILE* file = fopen(path, "r");
  if (!file) return 0;
  while (fgets(line, sizeof line, file))
    if (strncmp(line, key, strlen(key)) == 0) value = atol(line + strlen(key));
  fclose(file);
  return value;
}

// Largest and summed memory of the ranks. "proportional" counts a page that several processes map once.
void print_hello(void) {
  long mine[3] = {kilobytes_of("/proc/self/status", "VmHWM:"), kilobytes_of("/proc/self/status", "VmRSS:"),
                  kilobytes_of("/proc/self/smaps_rollup", "Pss:")};
  long most[3], sum[3];
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(mine, most, 3, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(mine, sum, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  printf("# memory\tpeak_kb\tresident_kb\tproportional_kb\n");
  printf("memory_largest\t%ld\t%ld\t%ld\nmemory_sum\t%ld\t%ld\t%ld\n", most[0], most[1], most[2], sum[0], sum[1], sum[2]);
}
