// SPDX-License-Identifier: BSD-3-Clause
// mpix.h: operations and error handlers whose functions get a context pointer.
// run: np=1,3 timeout=60
#include <stdarg.h>

#include <mpix.h>

#include "../support/check.h"

struct counter {
  int calls;
};

static void add(void* in, void* inout, int* len, MPI_Datatype* datatype, void* context) {
  ((struct counter*)context)->calls++;
  for (int i = 0; i < *len && *datatype == MPI_INT; i++) ((int*)inout)[i] += ((int*)in)[i];
}
static void add_large(void* in, void* inout, MPI_Count* len, MPI_Datatype* datatype, void* context) {
  int n = (int)*len;
  add(in, inout, &n, datatype, context);
}
static void handle(MPI_Comm* comm, int* error_code, ...) {
  va_list rest;
  va_start(rest, error_code);
  struct counter* counter = va_arg(rest, struct counter*);
  va_end(rest);
  if (*comm == MPI_COMM_WORLD && *error_code != MPI_SUCCESS) counter->calls++;
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  struct counter counters[3] = {{0}, {0}, {0}};
  MPI_Op op;
  int mine = world_rank + 1, sum = 0;
  const int expected = world_size * (world_size + 1) / 2;
  MPIX_Op_create_x(add, &counters[0], 1, &op);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  CHECK(sum == expected, "sum %d", sum);
  MPI_Op_free(&op);
  MPIX_Op_create_c_x(add_large, &counters[1], 1, &op);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  CHECK(sum == expected, "sum %d", sum);
  MPI_Op_free(&op);
  for (int i = 0; i < 2; i++) {  // some ranks need no call
    MPI_Allreduce(&counters[i].calls, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(world_size == 1 || sum > 0, "operation %d was never called with its context", i);
  }

  MPI_Errhandler handler;
  MPIX_Comm_create_errhandler_x(handle, &counters[2], &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Errhandler_free(&handler);
  MPI_Send(&mine, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  CHECK(counters[2].calls == 1, "%d calls of the error handler", counters[2].calls);

  MPI_F08_status typed;
  MPI_Status status = {.MPI_SOURCE = 3, .MPI_TAG = 4, .MPI_ERROR = 5}, again;
  MPI_Fint integers[MPI_F_STATUS_SIZE];
  MPI_Status_c2f08(&status, &typed);
  MPI_Status_f082f(&typed, integers);
  MPI_Status_f2c(integers, &again);
  CHECK(typed.MPI_TAG == 4 && integers[MPI_F_SOURCE] == 3 && again.MPI_ERROR == 5, "a status changed on its way through Fortran");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  return check_finish();
}
