// SPDX-License-Identifier: BSD-3-Clause
// The communicators on which the programs of collectives run each test: the world, its reverse, every second rank, and
// single ranks.
#pragma once

#include "check.h"

static int rank, size;  // in the communicator under test

typedef void test_function(MPI_Comm comm);

static inline void run_on(MPI_Comm comm, test_function* test) {
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  test(comm);
}

static inline void run_on_many(test_function* test) {
  MPI_Comm reversed, halves;
  run_on(MPI_COMM_WORLD, test);
  run_on(MPI_COMM_SELF, test);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &reversed);
  run_on(reversed, test);
  MPI_Comm_free(&reversed);
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &halves);  // both halves work at the same time
  run_on(halves, test);
  MPI_Comm_free(&halves);
}

static const int many_counts[] = {0, 1, 2, 3, 7, 12, 13, 100, 1000, 1024, 4000, 20000, 100003};
enum { count_of_counts = sizeof many_counts / sizeof many_counts[0] };

// The number that rank `from` has for rank `to` at `index`.
static inline int number(int from, int to, int index) { return from * 1000003 + to * 10007 + index * 3 + 1; }

static inline int* new_ints(size_t count, int value) {
  int* data = must_alloc(sizeof(int) * (count + 1));
  for (size_t i = 0; i <= count; i++) data[i] = value;
  return data;
}

// `count` numbers stand here, and the cell behind them was not touched.
static inline void check_numbers(const int* data, int from, int to, int count, const char* what) {
  for (int i = 0; i < count; i++)
    CHECK(data[i] == number(from, to, i), "%s, %d ranks, from %d to %d, count %d, element %d: %d, expected %d", what, size,
          from, to, count, i, data[i], number(from, to, i));
}

static inline void check_untouched(const int* cell, const char* what) {
  CHECK(*cell == -1, "%s wrote beyond its end: %d", what, *cell);
}

static inline void put_numbers(int* data, int from, int to, int count) {
  for (int i = 0; i < count; i++) data[i] = number(from, to, i);
}

// An int every three ints.
static inline MPI_Datatype spread_int(void) {
  MPI_Datatype type;
  MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &type);
  MPI_Type_commit(&type);
  return type;
}
