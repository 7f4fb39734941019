// SPDX-License-Identifier: BSD-3-Clause
// The functions that MPI-3.0 removed, as programs of MPI-1 call them.
// run: np=1,2 timeout=60
#include <stddef.h>

#include "../support/check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

struct record {
  int id;
  double value[3];
};

static int raised;
static void count_errors(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  (void)code;
  ++raised;
}

// A structure by absolute addresses goes round the ring.
static void send_structure(int rank, int size) {
  struct record sent = {rank, {rank + 0.5, rank + 1.5, rank + 2.5}}, got = {-1, {0, 0, 0}};
  int lengths[2] = {1, 3};
  MPI_Aint begin = 0, at[2] = {0, 0};
  MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, type = MPI_DATATYPE_NULL;
  MPI_Address(&sent, &begin);
  MPI_Address(&sent.id, &at[0]);
  PMPI_Address(sent.value, &at[1]);
  at[0] -= begin;
  at[1] -= begin;
  CHECK(at[1] == (MPI_Aint)offsetof(struct record, value), "at %ld", (long)at[1]);
  CHECK_CLASS(MPI_Type_struct(2, lengths, at, types, &type), MPI_SUCCESS);
  MPI_Type_commit(&type);
  MPI_Sendrecv(&sent, 1, type, (rank + 1) % size, 7, &got, 1, type, (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int left = (rank + size - 1) % size;
  CHECK(got.id == left && got.value[0] == left + 0.5 && got.value[2] == left + 2.5, "got %d %g %g", got.id, got.value[0], got.value[2]);
  MPI_Type_free(&type);
}

static void measure_types(void) {
  MPI_Datatype vector = MPI_DATATYPE_NULL, indexed = MPI_DATATYPE_NULL;
  MPI_Aint extent = -1, lb = -1, ub = -1;
  CHECK_CLASS(MPI_Type_hvector(3, 1, 16, MPI_INT, &vector), MPI_SUCCESS);
  MPI_Type_extent(vector, &extent);
  CHECK(extent == 36, "extent %ld", (long)extent);
  int lengths[2] = {2, 1};
  MPI_Aint at[2] = {8, 32};
  CHECK_CLASS(MPI_Type_hindexed(2, lengths, at, MPI_INT, &indexed), MPI_SUCCESS);
  MPI_Type_lb(indexed, &lb);
  PMPI_Type_ub(indexed, &ub);
  PMPI_Type_extent(indexed, &extent);
  CHECK(lb == 8 && ub == 36 && extent == 28, "%ld %ld %ld", (long)lb, (long)ub, (long)extent);
  MPI_Type_free(&vector);
  MPI_Type_free(&indexed);
}

static void handle_errors(void) {
  MPI_Handler_function *function = count_errors;
  MPI_Errhandler mine = MPI_ERRHANDLER_NULL, found = MPI_ERRHANDLER_NULL;
  CHECK_CLASS(MPI_Errhandler_create(function, &mine), MPI_SUCCESS);
  CHECK_CLASS(MPI_Errhandler_set(MPI_COMM_WORLD, mine), MPI_SUCCESS);
  CHECK_CLASS(MPI_Errhandler_get(MPI_COMM_WORLD, &found), MPI_SUCCESS);
  CHECK(found == mine, "another error handler");
  MPI_Send(NULL, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  CHECK(raised == 1, "%d calls", raised);
  MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&mine);
  MPI_Errhandler_free(&found);
}

int main(int argc, char** argv) {
  check_start(&argc, &argv);
  send_structure(world_rank, world_size);
  measure_types();
  handle_errors();
  return check_finish();
}
