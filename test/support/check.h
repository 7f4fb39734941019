// SPDX-License-Identifier: BSD-3-Clause
// What the C test programs share: the frame of a program, a check that prints who, where and which values, and byte
// patterns.
// It sees <mpi.h> alone, so that every program also builds and runs with another MPI.
#pragma once

#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int world_rank = -1, world_size = -1;

__attribute__((noreturn, format(printf, 4, 5))) static void check_failed(const char* file, int line, const char* condition,
                                                                         const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "rank %d of %d: %s:%d: failed: %s: %s\n", world_rank, world_size, file, line, condition, text);
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 99);
  abort();
}

// CHECK(condition, format, values...): the values are those that a reader needs to understand a failure.
#define CHECK(condition, ...)                                                    \
  do {                                                                           \
    if (!(condition)) check_failed(__FILE__, __LINE__, #condition, __VA_ARGS__); \
  } while (0)

// CHECK_CLASS(call, class): the call returns an error of that class. The error handler must be MPI_ERRORS_RETURN.
#define CHECK_CLASS(call, wanted) check_class(__FILE__, __LINE__, #call, #wanted, (call), (wanted))

static inline int error_class(int code) {
  int class_of_code = -1;
  MPI_Error_class(code, &class_of_code);
  return class_of_code;
}

static inline const char* error_text(int code) {
  static char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

static inline void check_class(const char* file, int line, const char* call, const char* name, int code, int wanted) {
  if (error_class(code) == wanted) return;
  check_failed(file, line, call, "class %d, expected %s (%d): %s", error_class(code), name, wanted, error_text(code));
}

static inline void check_start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
}

// Ends the program: "ok" is rank 0's last line, and it is there only when every rank came this far.
static inline int check_finish(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (world_rank == 0) puts("ok");
  return 0;
}

static inline void errors_return(MPI_Comm comm) { MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN); }

static inline void* must_alloc(size_t bytes) {
  void* memory = malloc(bytes ? bytes : 1);
  CHECK(memory != NULL, "no memory for %zu bytes", bytes);
  return memory;
}

static inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  return x ^ (x >> 29);
}

// The byte at `index` of the pattern with that seed: no period, so that a shifted or swapped block is seen.
static inline unsigned char pattern_byte(uint64_t seed, size_t index) {
  return (unsigned char)(mix(seed * 0x2545f4914f6cdd1du + index / 8 + 1) >> (8 * (index % 8)));
}

static inline void fill_pattern(void* memory, size_t bytes, uint64_t seed) {
  unsigned char* at = memory;
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    uint64_t word = mix(seed * 0x2545f4914f6cdd1du + i / 8 + 1);
    memcpy(at + i, &word, 8);
  }
  for (; i < bytes; i++) at[i] = pattern_byte(seed, i);
}

// The index of the first byte that differs from the pattern, or `bytes` when none does.
static inline size_t first_difference(const void* memory, size_t bytes, uint64_t seed) {
  const unsigned char* at = memory;
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    uint64_t word = mix(seed * 0x2545f4914f6cdd1du + i / 8 + 1);
    if (memcmp(at + i, &word, 8) != 0) break;
  }
  while (i < bytes && at[i] == pattern_byte(seed, i)) i++;
  return i;
}

// Every byte of the pattern is there.
#define CHECK_PATTERN(memory, bytes, seed)                                                           \
  do {                                                                                               \
    size_t check_at = first_difference((memory), (bytes), (seed));                                   \
    CHECK(check_at == (size_t)(bytes), "first wrong byte at %zu of %zu", check_at, (size_t)(bytes)); \
  } while (0)
