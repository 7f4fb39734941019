/* SPDX-License-Identifier: BSD-3-Clause
 * Performance variables for C tests: counted(name) says by how much one has grown since count_from_here(name). */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  const char *name;
  MPI_T_pvar_handle handle;
} counters_begun[32];
static MPI_T_pvar_session counters_session;

static inline void count_from_here(const char *name) {
  int provided, index, count, i = 0;
  while (counters_begun[i].name) ++i;
  if (i == 0) {
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&counters_session);
  }
  if (MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS &&
      MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_AGGREGATE, &index) != MPI_SUCCESS) {
    fprintf(stderr, "there is no counter %s\n", name);
    exit(1);
  }
  counters_begun[i].name = name;
  MPI_T_pvar_handle_alloc(counters_session, index, NULL, &counters_begun[i].handle, &count);
  MPI_T_pvar_start(counters_session, counters_begun[i].handle);
}

static inline unsigned long long counted(const char *name) {
  unsigned long long value = 0;
  for (int i = 0; counters_begun[i].name; ++i)
    if (strcmp(counters_begun[i].name, name) == 0) MPI_T_pvar_read(counters_session, counters_begun[i].handle, &value);
  return value;
}
