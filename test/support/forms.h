// SPDX-License-Identifier: BSD-3-Clause
// The three forms of a collective: a case makes the call of one, then ends it.
#pragma once

#include <mpi.h>

enum form { blocking_form, nonblocking_form, persistent_form, all_forms };

// After it the call has done its work: waits, after it has started a persistent one (once: in place, twice is not the same).
static inline void end_form(int form, MPI_Request* request) {
  if (form == blocking_form) return;
  if (form == persistent_form) MPI_Start(request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  if (form == persistent_form) MPI_Request_free(request);
}
