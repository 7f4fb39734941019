// SPDX-License-Identifier: BSD-3-Clause
// The predefined datatypes of the standard ABI on this machine, as one table, and the objects behind them.
#include "ompi_lite/core/predefined_types.h"

#include <complex>
#include <cwchar>
#include <mutex>
#include <new>

#include "ompi_lite/core/layout.h"
#include "ompi_lite/core/signature.h"

namespace ompi_lite {
namespace {

template <class First, class Second>
struct PairOf {
  First first;
  Second second;
};

template <class T>
constexpr BasicType row(std::uintptr_t handle, const char* name, BasicKind kind, Representation representation,
                        int external) {
  return {.handle = handle,
          .name = name,
          .size = sizeof(T),
          .extent = sizeof(T),
          .alignment = alignof(T),
          .external_size = static_cast<std::int8_t>(external),
          .kind = kind,
          .representation = representation,
          .first = 0,
          .second = 0,
          .second_offset = 0};
}

template <class First, class Second>
constexpr BasicType pair_row(std::uintptr_t handle, const char* name, Representation representation, std::uintptr_t first,
                             std::uintptr_t second, int external) {
  using Both = PairOf<First, Second>;
  return {.handle = handle,
          .name = name,
          .size = sizeof(First) + sizeof(Second),
          .extent = sizeof(Both),
          .alignment = alignof(Both),
          .external_size = static_cast<std::int8_t>(external),
          .kind = BasicKind::pair,
          .representation = representation,
          .first = first,
          .second = second,
          .second_offset = offsetof(Both, second)};
}

using enum BasicKind;
using R = Representation;
using Int128 = __int128;
using Float128 = __float128;
using FloatComplex = std::complex<float>;
using DoubleComplex = std::complex<double>;
using LongDoubleComplex = std::complex<long double>;
struct alignas(2) Float16 {
  std::uint16_t bits;
};
struct Complex16x2 {
  Float16 real, imaginary;
};
struct Complex128x2 {
  Float128 real, imaginary;
};

// Handles as numbers: mpi.h casts them to pointers, which no constant expression may do. test/unit/core compares the two.
constexpr BasicType kTypes[] = {
    row<MPI_Aint>(513, "MPI_AINT", address, R::int64, 8),
    row<MPI_Count>(514, "MPI_COUNT", address, R::int64, 8),
    row<MPI_Offset>(515, "MPI_OFFSET", address, R::int64, 8),
    row<char>(519, "MPI_PACKED", none, R::uint8, 1),
    row<short>(520, "MPI_SHORT", integer, R::int16, 2),
    row<int>(521, "MPI_INT", integer, R::int32, 4),
    row<long>(522, "MPI_LONG", integer, R::int64, 4),
    row<long long>(523, "MPI_LONG_LONG_INT", integer, R::int64, 8),
    row<unsigned short>(524, "MPI_UNSIGNED_SHORT", integer, R::uint16, 2),
    row<unsigned>(525, "MPI_UNSIGNED", integer, R::uint32, 4),
    row<unsigned long>(526, "MPI_UNSIGNED_LONG", integer, R::uint64, 4),
    row<unsigned long long>(527, "MPI_UNSIGNED_LONG_LONG", integer, R::uint64, 8),
    row<float>(528, "MPI_FLOAT", floating, R::float32, 4),
    row<FloatComplex>(530, "MPI_C_COMPLEX", complex, R::complex32x2, 8),
    row<FloatComplex>(531, "MPI_CXX_FLOAT_COMPLEX", complex, R::complex32x2, 8),
    row<double>(532, "MPI_DOUBLE", floating, R::float64, 8),
    row<DoubleComplex>(534, "MPI_C_DOUBLE_COMPLEX", complex, R::complex64x2, 16),
    row<DoubleComplex>(535, "MPI_CXX_DOUBLE_COMPLEX", complex, R::complex64x2, 16),
    row<int>(536, "MPI_LOGICAL", logical, R::int32, 4),
    row<int>(537, "MPI_INTEGER", fortran_integer, R::int32, 4),
    row<float>(538, "MPI_REAL", floating, R::float32, 4),
    row<FloatComplex>(539, "MPI_COMPLEX", complex, R::complex32x2, 8),
    row<double>(540, "MPI_DOUBLE_PRECISION", floating, R::float64, 8),
    row<DoubleComplex>(541, "MPI_DOUBLE_COMPLEX", complex, R::complex64x2, 16),
    row<char>(542, "MPI_CHARACTER", none, R::uint8, 1),
    row<long double>(544, "MPI_LONG_DOUBLE", floating, R::float80, 16),
    row<LongDoubleComplex>(548, "MPI_C_LONG_DOUBLE_COMPLEX", complex, R::complex80x2, 32),
    row<LongDoubleComplex>(549, "MPI_CXX_LONG_DOUBLE_COMPLEX", complex, R::complex80x2, 32),
    pair_row<float, int>(552, "MPI_FLOAT_INT", R::pair_float_int, 528, 521, 8),
    pair_row<double, int>(553, "MPI_DOUBLE_INT", R::pair_double_int, 532, 521, 12),
    pair_row<long, int>(554, "MPI_LONG_INT", R::pair_long_int, 522, 521, 8),
    pair_row<int, int>(555, "MPI_2INT", R::pair_int_int, 521, 521, 8),
    pair_row<short, int>(556, "MPI_SHORT_INT", R::pair_short_int, 520, 521, 6),
    pair_row<long double, int>(557, "MPI_LONG_DOUBLE_INT", R::pair_longdouble_int, 544, 521, 20),
    pair_row<float, float>(560, "MPI_2REAL", R::pair_float_float, 538, 538, 8),
    pair_row<double, double>(561, "MPI_2DOUBLE_PRECISION", R::pair_double_double, 540, 540, 16),
    pair_row<int, int>(562, "MPI_2INTEGER", R::pair_int_int, 537, 537, 8),
    row<bool>(568, "MPI_C_BOOL", logical, R::uint8, 1),
    row<bool>(569, "MPI_CXX_BOOL", logical, R::uint8, 1),
    row<wchar_t>(572, "MPI_WCHAR", none, R::int32, 2),
    row<std::int8_t>(576, "MPI_INT8_T", integer, R::int8, 1),
    row<std::uint8_t>(577, "MPI_UINT8_T", integer, R::uint8, 1),
    row<char>(579, "MPI_CHAR", none, R::uint8, 1),
    row<signed char>(580, "MPI_SIGNED_CHAR", integer, R::int8, 1),
    row<unsigned char>(581, "MPI_UNSIGNED_CHAR", integer, R::uint8, 1),
    row<std::byte>(583, "MPI_BYTE", byte, R::uint8, 1),
    row<std::int16_t>(584, "MPI_INT16_T", integer, R::int16, 2),
    row<std::uint16_t>(585, "MPI_UINT16_T", integer, R::uint16, 2),
    row<std::int32_t>(592, "MPI_INT32_T", integer, R::int32, 4),
    row<std::uint32_t>(593, "MPI_UINT32_T", integer, R::uint32, 4),
    row<std::int64_t>(600, "MPI_INT64_T", integer, R::int64, 8),
    row<std::uint64_t>(601, "MPI_UINT64_T", integer, R::uint64, 8),
    row<std::int8_t>(704, "MPI_LOGICAL1", logical, R::int8, 1),
    row<std::int8_t>(705, "MPI_INTEGER1", fortran_integer, R::int8, 1),
    row<std::int16_t>(712, "MPI_LOGICAL2", logical, R::int16, 2),
    row<std::int16_t>(713, "MPI_INTEGER2", fortran_integer, R::int16, 2),
    row<Float16>(714, "MPI_REAL2", floating, R::float16, 2),
    row<std::int32_t>(720, "MPI_LOGICAL4", logical, R::int32, 4),
    row<std::int32_t>(721, "MPI_INTEGER4", fortran_integer, R::int32, 4),
    row<float>(722, "MPI_REAL4", floating, R::float32, 4),
    row<Complex16x2>(723, "MPI_COMPLEX4", complex, R::complex16x2, 4),
    row<std::int64_t>(728, "MPI_LOGICAL8", logical, R::int64, 8),
    row<std::int64_t>(729, "MPI_INTEGER8", fortran_integer, R::int64, 8),
    row<double>(730, "MPI_REAL8", floating, R::float64, 8),
    row<FloatComplex>(731, "MPI_COMPLEX8", complex, R::complex32x2, 8),
    row<Int128>(736, "MPI_LOGICAL16", logical, R::int128, 16),
    row<Int128>(737, "MPI_INTEGER16", fortran_integer, R::int128, 16),
    row<Float128>(738, "MPI_REAL16", floating, R::float128, 16),
    row<DoubleComplex>(739, "MPI_COMPLEX16", complex, R::complex64x2, 16),
    row<Complex128x2>(747, "MPI_COMPLEX32", complex, R::complex128x2, 32),
    // Extensions (mpix.h), beyond the range in which the standard numbers datatypes.
    row<Float16>(3850, "MPIX_FLOAT16", floating, R::float16, 2),
    row<Float16>(3851, "MPIX_BFLOAT16", floating, R::bfloat16, 2),
};
constexpr std::size_t kTypeCount = std::size(kTypes);

// Never destroyed: other libraries' exit handlers may still call us.
alignas(Datatype) constinit std::byte storage[kTypeCount * sizeof(Datatype)] = {};

int index_of(std::uintptr_t handle) {
  int index = 0;
  while (kTypes[index].handle != handle) ++index;
  return index;
}

void add_signature(SignatureBuilder& builder, const BasicType& basic) {
  if (basic.kind != pair) {
    builder.add_basic(basic_index(basic), basic.size, 1);
    return;
  }
  for (const std::uintptr_t part : {basic.first, basic.second}) {
    const int index = index_of(part);
    builder.add_basic(index, kTypes[index].size, 1);
  }
}

void define_type(const BasicType& basic) {
  LayoutBuilder layout;
  if (basic.kind == pair) {
    layout.add_block(0, kTypes[index_of(basic.first)].size);
    layout.add_block(basic.second_offset, kTypes[index_of(basic.second)].size);
  } else {
    layout.add_block(0, basic.size);
  }
  SignatureBuilder signature;
  add_signature(signature, basic);
  const Count end =
      basic.kind == pair ? Count{basic.second_offset} + kTypes[index_of(basic.second)].size : Count{basic.size};
  const Bounds bounds{.ub = basic.extent, .true_ub = end, .alignment = basic.alignment};
  void* place = storage + static_cast<std::size_t>(basic_index(basic)) * sizeof(Datatype);
  predefined_objects[basic.handle] = new (place) Datatype(basic, layout.finish(), signature.finish(), bounds);
}

}  // namespace

std::span<const BasicType> basic_types() { return kTypes; }

int basic_index(const BasicType& basic) { return static_cast<int>(&basic - kTypes); }

void define_predefined_types() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (const BasicType& basic : kTypes) define_type(basic);
  });
}

}  // namespace ompi_lite
