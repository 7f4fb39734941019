// SPDX-License-Identifier: BSD-3-Clause
// The table of predefined datatypes.
#pragma once

#include <cstdint>
#include <span>

#include "ompi_lite/core/datatype.h"

namespace ompi_lite {

// What a basic element is to the arithmetic of reductions and to conversions.
enum class BasicKind : std::uint8_t {
  none,  // no operation but replace and no_op: characters, packed
  byte,
  integer,          // C integers and the optional sized ones of C
  fortran_integer,  // no logical operations
  address,          // MPI_AINT, MPI_OFFSET, MPI_COUNT
  floating,
  complex,
  logical,
  pair,  // value and index: first and second in the table
};

// How the bytes of a basic element are read by the kernels. Kinds that share a representation share kernels.
enum class Representation : std::uint8_t {
  none,
  int8,
  int16,
  int32,
  int64,
  int128,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  float80,
  float128,
  complex16x2,
  complex32x2,
  complex64x2,
  complex80x2,
  complex128x2,
  pair_float_int,
  pair_double_int,
  pair_long_int,
  pair_int_int,
  pair_short_int,
  pair_longdouble_int,
  pair_float_float,
  pair_double_double,
  bfloat16,
  count_of_them,
};

struct BasicType {
  std::uintptr_t handle;  // ABI value
  const char* name;       // C name
  std::int16_t size;      // bytes of data
  std::int16_t extent;    // with padding
  std::int8_t alignment;
  std::int8_t external_size;  // bytes in the external32 representation (MPI 5.0, section 14.5.2)
  BasicKind kind;
  Representation representation;
  std::uintptr_t first, second;  // pairs: ABI values of value and index; 0 otherwise
  std::int16_t second_offset;    // pairs: where the index lies
};

// All rows, in rising order of handle. Optional Fortran types that gfortran has on this machine are among them.
std::span<const BasicType> basic_types();
// The index of a row, as reductions and signatures use it.
int basic_index(const BasicType& basic);

// Fills predefined_objects with one Datatype a row, all committed; later calls do nothing.
void define_predefined_types();

}  // namespace ompi_lite
