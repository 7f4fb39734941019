// SPDX-License-Identifier: BSD-3-Clause
// What cases C05 and C06 share: products of 2 x 2 matrices modulo a prime, which are associative and not commutative.
#pragma once

#include "../support/check.h"

enum { modulus = 9973 };

struct Matrix {
  int e[4];
};

static inline struct Matrix times(struct Matrix a, struct Matrix b) {
  struct Matrix c;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) c.e[2 * i + j] = (a.e[2 * i] * b.e[j] + a.e[2 * i + 1] * b.e[2 + j]) % modulus;
  return c;
}

static inline struct Matrix matrix_of(int rank, int index) {
  struct Matrix m = {{(rank * 37 + index * 11 + 1) % modulus, (rank + index * 5 + 2) % modulus,
                      (rank * rank + index + 3) % modulus, (7 * rank + index * 13 + 1) % modulus}};
  return m;
}

static inline struct Matrix product_of_all(int size, int index) {
  struct Matrix product = matrix_of(0, index);
  for (int r = 1; r < size; r++) product = times(product, matrix_of(r, index));
  return product;
}

static inline int same(struct Matrix a, struct Matrix b) { return memcmp(&a, &b, sizeof a) == 0; }

// The user function asks the type where its elements lie: `offset` bytes into each extent.
static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lower, extent, true_lower, true_extent;
  MPI_Type_get_extent(*type, &lower, &extent);
  MPI_Type_get_true_extent(*type, &true_lower, &true_extent);
  for (int i = 0; i < *count; i++) {
    struct Matrix a, b;
    char *from = (char*)in + i * extent + true_lower, *to = (char*)inout + i * extent + true_lower;
    memcpy(&a, from, sizeof a);
    memcpy(&b, to, sizeof b);
    a = times(a, b);
    memcpy(to, &a, sizeof a);
  }
}

// How matrices lie in memory: `extent` bytes each, the four ints at `offset`; the rest is filled and must stay as it is.
struct Layout {
  MPI_Datatype type;
  size_t extent, offset;
};

static inline struct Layout contiguous_layout(void) {
  struct Layout l = {MPI_DATATYPE_NULL, sizeof(struct Matrix), 0};
  MPI_Type_contiguous(4, MPI_INT, &l.type);
  MPI_Type_commit(&l.type);
  return l;
}

static inline struct Layout offset_layout(void) {
  struct Layout l = {MPI_DATATYPE_NULL, 32, 8};
  const int lengths[1] = {4};
  const MPI_Aint places[1] = {8};
  const MPI_Datatype types[1] = {MPI_INT};
  MPI_Datatype bare;
  MPI_Type_create_struct(1, lengths, places, types, &bare);
  MPI_Type_create_resized(bare, 0, 32, &l.type);
  MPI_Type_commit(&l.type);
  MPI_Type_free(&bare);
  return l;
}

static inline struct Matrix get(const struct Layout* l, const char* buffer, int index) {
  struct Matrix m;
  memcpy(&m, buffer + (size_t)index * l->extent + l->offset, sizeof m);
  return m;
}

static inline char* new_buffer(const struct Layout* l, int count, int rank) {
  char* buffer = must_alloc(l->extent * (size_t)count);
  memset(buffer, 0x3c, l->extent * (size_t)count);
  for (int i = 0; rank >= 0 && i < count; i++) {
    const struct Matrix m = matrix_of(rank, i);
    memcpy(buffer + (size_t)i * l->extent + l->offset, &m, sizeof m);
  }
  return buffer;
}

// The bytes between the matrices are the caller's.
static inline void check_gaps(const struct Layout* l, const char* buffer, int count) {
  for (size_t at = 0; at < l->extent * (size_t)count; at++) {
    const size_t within = at % l->extent;
    if (within >= l->offset && within < l->offset + sizeof(struct Matrix)) continue;
    CHECK(buffer[at] == 0x3c, "byte %zu between the elements was written", at);
  }
}
