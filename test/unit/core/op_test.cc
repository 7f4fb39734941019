// SPDX-License-Identifier: BSD-3-Clause
// Reductions: every operation on every predefined type against plain loops, and the pairs that MPI does not define.
#include "ompi_lite/core/op.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ompi_lite/core/predefined_types.h"
#include "ompi_lite/core/type_constructors.h"
#include "ompi_lite/include/mpix.h"

using namespace ompi_lite;

namespace {

using Bytes = std::vector<std::byte>;
// What one operation makes of one pair of elements, as bytes; the plain answer that kernels are compared with.
using Scalar = std::function<void(const void* a, const void* b, void* out)>;

template <class T, class F>
Scalar scalar(F f) {
  return [f](const void* a, const void* b, void* out) {
    T x, y;
    std::memcpy(&x, a, sizeof x);
    std::memcpy(&y, b, sizeof y);
    const T result = static_cast<T>(f(x, y));
    std::memcpy(out, &result, sizeof result);
  };
}

template <class T>
std::map<OpKind, Scalar> numbers() {
  return {{OpKind::sum, scalar<T>([](T a, T b) { return a + b; })},
          {OpKind::prod, scalar<T>([](T a, T b) { return a * b; })},
          {OpKind::max, scalar<T>([](T a, T b) { return a < b ? b : a; })},
          {OpKind::min, scalar<T>([](T a, T b) { return b < a ? b : a; })}};
}

template <class T>
std::map<OpKind, Scalar> bits() {
  return {{OpKind::band, scalar<T>([](T a, T b) { return a & b; })},
          {OpKind::bor, scalar<T>([](T a, T b) { return a | b; })},
          {OpKind::bxor, scalar<T>([](T a, T b) { return a ^ b; })}};
}

template <class T>
std::map<OpKind, Scalar> truths() {
  return {{OpKind::land, scalar<T>([](T a, T b) { return a && b; })},
          {OpKind::lor, scalar<T>([](T a, T b) { return a || b; })},
          {OpKind::lxor, scalar<T>([](T a, T b) { return !a != !b; })}};
}

template <class T>
std::map<OpKind, Scalar> complexes() {
  return {{OpKind::sum, scalar<T>([](T a, T b) { return a + b; })},
          {OpKind::prod, scalar<T>([](T a, T b) { return a * b; })}};
}

template <class V, class I>
struct Pair {
  V value;
  I index;
};

template <class V, class I>
std::map<OpKind, Scalar> pairs() {
  using P = Pair<V, I>;
  const auto pick = [](bool first, const P& a, const P& b) {
    return a.value == b.value ? P{a.value, std::min(a.index, b.index)} : (first ? a : b);
  };
  return {{OpKind::maxloc, scalar<P>([pick](P a, P b) { return pick(a.value > b.value, a, b); })},
          {OpKind::minloc, scalar<P>([pick](P a, P b) { return pick(a.value < b.value, a, b); })}};
}

std::map<OpKind, Scalar> both(std::map<OpKind, Scalar> a, std::map<OpKind, Scalar> b) {
  a.merge(b);
  return a;
}
template <class T>
std::map<OpKind, Scalar> c_integer() {
  return both(both(numbers<T>(), bits<T>()), truths<T>());
}
template <class T>
std::map<OpKind, Scalar> fortran_integer() {
  return both(numbers<T>(), bits<T>());
}

// MPI 5.0, section 6.9.2, type by type (and logical operations on addresses and the like). Types that are not listed have no
// operation.
const std::map<std::string, std::map<OpKind, Scalar>>& defined() {
  static const std::map<std::string, std::map<OpKind, Scalar>> table = {
      {"MPI_SHORT", c_integer<short>()},
      {"MPI_INT", c_integer<int>()},
      {"MPI_LONG", c_integer<long>()},
      {"MPI_LONG_LONG_INT", c_integer<long long>()},
      {"MPI_UNSIGNED_SHORT", c_integer<unsigned short>()},
      {"MPI_UNSIGNED", c_integer<unsigned>()},
      {"MPI_UNSIGNED_LONG", c_integer<unsigned long>()},
      {"MPI_UNSIGNED_LONG_LONG", c_integer<unsigned long long>()},
      {"MPI_SIGNED_CHAR", c_integer<signed char>()},
      {"MPI_UNSIGNED_CHAR", c_integer<unsigned char>()},
      {"MPI_INT8_T", c_integer<std::int8_t>()},
      {"MPI_INT16_T", c_integer<std::int16_t>()},
      {"MPI_INT32_T", c_integer<std::int32_t>()},
      {"MPI_INT64_T", c_integer<std::int64_t>()},
      {"MPI_UINT8_T", c_integer<std::uint8_t>()},
      {"MPI_UINT16_T", c_integer<std::uint16_t>()},
      {"MPI_UINT32_T", c_integer<std::uint32_t>()},
      {"MPI_UINT64_T", c_integer<std::uint64_t>()},
      {"MPI_INTEGER", fortran_integer<int>()},
      {"MPI_INTEGER1", fortran_integer<std::int8_t>()},
      {"MPI_INTEGER2", fortran_integer<std::int16_t>()},
      {"MPI_INTEGER4", fortran_integer<std::int32_t>()},
      {"MPI_INTEGER8", fortran_integer<std::int64_t>()},
      {"MPI_INTEGER16", fortran_integer<__int128>()},
      {"MPI_AINT", c_integer<MPI_Aint>()},
      {"MPI_OFFSET", c_integer<MPI_Offset>()},
      {"MPI_COUNT", c_integer<MPI_Count>()},
      {"MPI_FLOAT", numbers<float>()},
      {"MPI_DOUBLE", numbers<double>()},
      {"MPI_LONG_DOUBLE", numbers<long double>()},
      {"MPI_REAL", numbers<float>()},
      {"MPI_DOUBLE_PRECISION", numbers<double>()},
      {"MPI_REAL4", numbers<float>()},
      {"MPI_REAL8", numbers<double>()},
      {"MPI_REAL16", numbers<__float128>()},
      {"MPI_LOGICAL", truths<int>()},
      {"MPI_LOGICAL1", truths<std::int8_t>()},
      {"MPI_LOGICAL2", truths<std::int16_t>()},
      {"MPI_LOGICAL4", truths<std::int32_t>()},
      {"MPI_LOGICAL8", truths<std::int64_t>()},
      {"MPI_LOGICAL16", truths<__int128>()},
      {"MPI_C_BOOL", truths<bool>()},
      {"MPI_CXX_BOOL", truths<bool>()},
      {"MPI_C_COMPLEX", complexes<std::complex<float>>()},
      {"MPI_C_DOUBLE_COMPLEX", complexes<std::complex<double>>()},
      {"MPI_C_LONG_DOUBLE_COMPLEX", complexes<std::complex<long double>>()},
      {"MPI_CXX_FLOAT_COMPLEX", complexes<std::complex<float>>()},
      {"MPI_CXX_DOUBLE_COMPLEX", complexes<std::complex<double>>()},
      {"MPI_CXX_LONG_DOUBLE_COMPLEX", complexes<std::complex<long double>>()},
      {"MPI_COMPLEX", complexes<std::complex<float>>()},
      {"MPI_DOUBLE_COMPLEX", complexes<std::complex<double>>()},
      {"MPI_COMPLEX8", complexes<std::complex<float>>()},
      {"MPI_COMPLEX16", complexes<std::complex<double>>()},
      {"MPI_BYTE", bits<unsigned char>()},
      {"MPI_FLOAT_INT", pairs<float, int>()},
      {"MPI_DOUBLE_INT", pairs<double, int>()},
      {"MPI_LONG_INT", pairs<long, int>()},
      {"MPI_2INT", pairs<int, int>()},
      {"MPI_SHORT_INT", pairs<short, int>()},
      {"MPI_LONG_DOUBLE_INT", pairs<long double, int>()},
      {"MPI_2REAL", pairs<float, float>()},
      {"MPI_2DOUBLE_PRECISION", pairs<double, double>()},
      {"MPI_2INTEGER", pairs<int, int>()},
  };
  return table;
}

// Their arithmetic is checked by values of its own below.
const std::set<std::string> kSoftware = {"MPI_REAL2", "MPI_COMPLEX4", "MPI_COMPLEX32", "MPIX_FLOAT16", "MPIX_BFLOAT16"};

const std::map<OpKind, MPI_Op>& handles() {
  static const std::map<OpKind, MPI_Op> table = {
      {OpKind::sum, MPI_SUM},         {OpKind::min, MPI_MIN},    {OpKind::max, MPI_MAX},       {OpKind::prod, MPI_PROD},
      {OpKind::band, MPI_BAND},       {OpKind::bor, MPI_BOR},    {OpKind::bxor, MPI_BXOR},     {OpKind::land, MPI_LAND},
      {OpKind::lor, MPI_LOR},         {OpKind::lxor, MPI_LXOR},  {OpKind::minloc, MPI_MINLOC}, {OpKind::maxloc, MPI_MAXLOC},
      {OpKind::replace, MPI_REPLACE}, {OpKind::no_op, MPI_NO_OP}};
  return table;
}

// Small whole numbers, so that sums and products are exact in every type, written in the representation of the type.
template <class T>
void put(std::byte* at, int value) {
  const T converted = static_cast<T>(value);
  std::memcpy(at, &converted, sizeof converted);
}

void put_number(std::byte* at, Representation representation, int value) {
  switch (representation) {
    case Representation::float32:
      return put<float>(at, value);
    case Representation::float64:
      return put<double>(at, value);
    case Representation::float80:
      return put<long double>(at, value);
    case Representation::float128:
      return put<__float128>(at, value);
    case Representation::int8:
    case Representation::uint8:
      return put<std::int8_t>(at, value);
    case Representation::int16:
    case Representation::uint16:
      return put<std::int16_t>(at, value);
    case Representation::int32:
    case Representation::uint32:
      return put<std::int32_t>(at, value);
    case Representation::int64:
    case Representation::uint64:
      return put<std::int64_t>(at, value);
    case Representation::int128:
      return put<__int128>(at, value);
    default:
      FAIL("no plain number");
  }
}

void put_element(std::byte* at, const BasicType& basic, std::mt19937& random) {
  const auto small = [&] { return static_cast<int>(random() % 5); };
  std::memset(at, 0, static_cast<std::size_t>(basic.extent));
  const auto half = static_cast<std::size_t>(basic.size / 2);
  switch (basic.representation) {
    case Representation::complex32x2:
      put<float>(at, small());
      return put<float>(at + half, small());
    case Representation::complex64x2:
      put<double>(at, small());
      return put<double>(at + half, small());
    case Representation::complex80x2:
      put<long double>(at, small());
      return put<long double>(at + half, small());
    default:
      break;
  }
  if (basic.kind == BasicKind::pair) {
    put_number(at, datatype_of(reinterpret_cast<MPI_Datatype>(basic.first)).basic()->representation, small());
    put_number(at + basic.second_offset, datatype_of(reinterpret_cast<MPI_Datatype>(basic.second)).basic()->representation,
               small());
  } else if (basic.kind == BasicKind::logical && basic.representation == Representation::uint8) {
    put<bool>(at, small() % 2);
  } else {
    const bool bytes = basic.kind == BasicKind::byte || basic.kind == BasicKind::integer;
    put_number(at, basic.representation, bytes && basic.size == 1 ? static_cast<int>(random() % 10) : small());
  }
}

Bytes elements(const BasicType& basic, Count n, std::mt19937& random, std::size_t misaligned) {
  Bytes result(static_cast<std::size_t>(n * basic.extent) + misaligned + 1, std::byte{0x77});
  for (Count i = 0; i < n; ++i) put_element(result.data() + misaligned + i * basic.extent, basic, random);
  return result;
}

// Data bytes only: what lies in padding is nobody's business. x87 numbers have 10 bytes of value.
bool same_data(const BasicType& basic, const std::byte* a, const std::byte* b) {
  const auto same = [&](std::size_t from, std::size_t bytes) { return std::memcmp(a + from, b + from, bytes) == 0; };
  const auto second = static_cast<std::size_t>(basic.second_offset);
  switch (basic.representation) {
    case Representation::float80:
      return same(0, 10);
    case Representation::complex80x2:
      return same(0, 10) && same(16, 10);
    case Representation::pair_longdouble_int:
      return same(0, 10) && same(second, 4);
    default:
      break;
  }
  if (basic.kind != BasicKind::pair) return same(0, static_cast<std::size_t>(basic.size));
  return same(0, static_cast<std::size_t>(basic.size) - 4) || basic.representation == Representation::pair_double_double
             ? same(second, basic.representation == Representation::pair_double_double ? 8 : 4)
             : false;
}

void check_kernel(const BasicType& basic, OpKind kind, const Scalar& plain) {
  std::mt19937 random(17);
  Op& op = op_of(handles().at(kind));
  Datatype& type = datatype_of(reinterpret_cast<MPI_Datatype>(basic.handle));
  bool right = true;
  for (const Count n : {0, 1, 2, 3, 7, 8, 15, 16, 31, 33, 64, 67, 1000}) {
    for (const std::size_t misaligned : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
      const Bytes a = elements(basic, n, random, misaligned);
      const Bytes b = elements(basic, n, random, 3 * misaligned);
      Bytes inout = b, out(b.size(), std::byte{0x77});
      CHECK(!reduce(op, type, a.data() + misaligned, inout.data() + 3 * misaligned, n));
      CHECK(!reduce3(op, type, a.data() + misaligned, b.data() + 3 * misaligned, out.data() + 3 * misaligned, n));
      for (Count i = 0; i < n; ++i) {
        alignas(32) std::byte wanted[32];
        const std::byte* first = a.data() + misaligned + i * basic.extent;
        const auto at = static_cast<std::size_t>(3 * static_cast<Count>(misaligned) + i * basic.extent);
        plain(first, b.data() + at, wanted);
        right = right && same_data(basic, inout.data() + at, wanted) && same_data(basic, out.data() + at, wanted);
      }
      right = right && inout.back() == std::byte{0x77} && out.back() == std::byte{0x77};
    }
  }
  INFO(op.name << " on " << basic.name);
  CHECK(right);
}

void define() {
  define_predefined_types();
  define_predefined_ops();
}

}  // namespace

TEST_CASE("each operation on each type gives what a plain loop gives") {
  define();
  for (const BasicType& basic : basic_types()) {
    if (kSoftware.count(basic.name) != 0) continue;
    const auto row = defined().find(basic.name);
    for (const auto& [kind, handle] : handles()) {
      INFO(op_of(handle).name << " on " << basic.name);
      if (kind == OpKind::replace || kind == OpKind::no_op) continue;
      Datatype& type = datatype_of(reinterpret_cast<MPI_Datatype>(basic.handle));
      const bool is_defined = row != defined().end() && row->second.count(kind) != 0;
      const Error error = check_op(op_of(handle), type);
      CHECK(static_cast<bool>(error) == !is_defined);
      CHECK(static_cast<bool>(kernel_for(op_of(handle), type)) == is_defined);
      if (is_defined) {
        check_kernel(basic, kind, row->second.at(kind));
      } else {
        CHECK(error.error_class() == ErrorClass::op);
        CHECK(std::string(error.sentence()) ==
              std::string(op_of(handle).name) + " is not defined for the datatype " + basic.name);
      }
    }
  }
}

TEST_CASE("replace takes the first operand and no_op keeps the second, for every type") {
  define();
  for (const BasicType& basic : basic_types()) {
    INFO(basic.name);
    Datatype& type = datatype_of(reinterpret_cast<MPI_Datatype>(basic.handle));
    const auto bytes = static_cast<std::size_t>(5 * basic.extent);
    Bytes a(bytes), b(bytes), out(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      a[i] = static_cast<std::byte>(i);
      b[i] = static_cast<std::byte>(200 - i);
    }
    Bytes inout = b;
    CHECK(!reduce(op_of(MPI_NO_OP), type, a.data(), inout.data(), 5));
    CHECK(inout == b);
    CHECK(!reduce3(op_of(MPI_NO_OP), type, a.data(), b.data(), out.data(), 5));
    CHECK(out == b);
    CHECK(!reduce(op_of(MPI_REPLACE), type, a.data(), inout.data(), 5));
    CHECK(inout == a);
    CHECK(!reduce3(op_of(MPI_REPLACE), type, a.data(), b.data(), out.data(), 5));
    CHECK(out == a);
  }
}

TEST_CASE("half precision numbers are added, multiplied and compared") {
  define();
  Datatype& half = datatype_of(MPI_REAL2);
  // 1.5, 0.5, -2, 65504 (the largest), 2^-24 (the smallest), infinity
  const std::uint16_t a[] = {0x3e00, 0x3800, 0xc000, 0x7bff, 0x0001, 0x7c00};
  const std::uint16_t b[] = {0x3800, 0x3800, 0x3c00, 0x7bff, 0x0001, 0x3c00};
  const auto result = [&](MPI_Op op) {
    std::vector<std::uint16_t> inout(std::begin(b), std::end(b));
    CHECK(!reduce(op_of(op), half, a, inout.data(), 6));
    return inout;
  };
  CHECK(result(MPI_SUM) == std::vector<std::uint16_t>{0x4000, 0x3c00, 0xbc00, 0x7c00, 0x0002, 0x7c00});
  CHECK(result(MPI_PROD) == std::vector<std::uint16_t>{0x3a00, 0x3400, 0xc000, 0x7c00, 0x0000, 0x7c00});
  CHECK(result(MPI_MAX) == std::vector<std::uint16_t>{0x3e00, 0x3800, 0x3c00, 0x7bff, 0x0001, 0x7c00});
  CHECK(result(MPI_MIN) == std::vector<std::uint16_t>{0x3800, 0x3800, 0xc000, 0x7bff, 0x0001, 0x3c00});

  std::uint16_t sum = 0;
  const std::uint16_t one_half = 0x3800;
  for (int i = 0; i < 8; ++i) CHECK(!reduce(op_of(MPI_SUM), half, &one_half, &sum, 1));
  CHECK(sum == 0x4400);  // 4.0

  // i * i = -1, in half precision and in quadruple precision
  const std::uint16_t i_half[] = {0, 0x3c00};
  std::uint16_t square_half[] = {0, 0x3c00};
  CHECK(!reduce(op_of(MPI_PROD), datatype_of(MPI_COMPLEX4), i_half, square_half, 1));
  CHECK((square_half[0] == 0xbc00 && square_half[1] == 0));
  const __float128 i_quad[] = {0, 1};
  __float128 square_quad[] = {0, 1};
  CHECK(!reduce(op_of(MPI_PROD), datatype_of(MPI_COMPLEX32), i_quad, square_quad, 1));
  CHECK((square_quad[0] == -1 && square_quad[1] == 0));
  CHECK(!reduce(op_of(MPI_SUM), datatype_of(MPI_COMPLEX32), i_quad, square_quad, 1));
  CHECK((square_quad[0] == -1 && square_quad[1] == 1));
}

TEST_CASE("the extension types of 16 bits have the operations of floating point numbers, and no others") {
  define();
  for (MPI_Datatype handle : {MPIX_FLOAT16, MPIX_BFLOAT16, MPI_REAL2}) {
    Datatype& type = datatype_of(handle);
    for (const auto& [kind, op] : handles()) {
      const bool arithmetic = kind == OpKind::sum || kind == OpKind::prod || kind == OpKind::min || kind == OpKind::max;
      const bool always = kind == OpKind::replace || kind == OpKind::no_op;
      const Error error = check_op(op_of(op), type);
      INFO(op_of(op).name << " on " << type.name_or_combiner());
      CHECK(static_cast<bool>(error) == !(arithmetic || always));
      if (!error) continue;
      CHECK(error.error_class() == ErrorClass::op);
      CHECK(std::string(error.sentence()) ==
            std::string(op_of(op).name) + " is not defined for the datatype " + type.name_or_combiner());
    }
  }
}

TEST_CASE("numbers that are the upper half of single precision are rounded to nearest, ties to even") {
  define();
  const auto float_of = [](std::uint16_t bits) {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
  };
  // The nearest of all numbers there are, by search around the cut-off one.
  const auto nearest = [&](float value) {
    std::uint32_t wide;
    std::memcpy(&wide, &value, sizeof wide);
    const auto down = static_cast<std::uint16_t>(wide >> 16), up = static_cast<std::uint16_t>(down + 1);
    const double below = std::abs(double{value} - float_of(down)), above = std::abs(float_of(up) - double{value});
    if ((up & 0x7fff) == 0x7f80) return (wide & 0xffff) >= 0x8000 ? up : down;  // infinity is half a step further
    return below < above || (below == above && down % 2 == 0) ? down : up;
  };
  std::mt19937 random(5);
  for (int i = 0; i < 100000; ++i) {
    const auto a = static_cast<std::uint16_t>(random()), b = static_cast<std::uint16_t>(random());
    if ((a & 0x7fff) >= 0x7f80 || (b & 0x7fff) >= 0x7f80) continue;
    for (MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN}) {
      const float x = float_of(a), y = float_of(b);
      const float exact = op == MPI_SUM ? x + y : op == MPI_PROD ? x * y : op == MPI_MAX ? std::max(x, y) : std::min(x, y);
      if (exact == 0 || std::abs(exact) > 3.3e38f) continue;
      std::uint16_t inout = b;
      CHECK(!reduce(op_of(op), datatype_of(MPIX_BFLOAT16), &a, &inout, 1));
      REQUIRE(inout == nearest(exact));
    }
  }
  std::uint16_t nan = 0x7fff, sum = 0x3f80;
  CHECK(!reduce(op_of(MPI_SUM), datatype_of(MPIX_BFLOAT16), &nan, &sum, 1));
  CHECK(((sum & 0x7f80) == 0x7f80 && (sum & 0x7f) != 0));
  sum = 0;
  const std::uint16_t one_half = 0x3f00;
  for (int i = 0; i < 8; ++i) CHECK(!reduce(op_of(MPI_SUM), datatype_of(MPIX_BFLOAT16), &one_half, &sum, 1));
  CHECK(sum == 0x4080);  // 4.0
}

TEST_CASE("every half precision number survives the way through single precision") {
  define();
  std::vector<std::uint16_t> all, zeros;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7fff) > 0x7c00) continue;  // NaN
    all.push_back(static_cast<std::uint16_t>(bits));
    zeros.push_back(static_cast<std::uint16_t>(bits & 0x8000));  // -0 + -0 is -0
  }
  std::vector<std::uint16_t> sums = all;
  CHECK(!reduce(op_of(MPI_SUM), datatype_of(MPI_REAL2), zeros.data(), sums.data(), static_cast<Count>(all.size())));
  CHECK(sums == all);
}

TEST_CASE("predefined operations are refused on derived types, by name") {
  define();
  Datatype* made = nullptr;
  REQUIRE(!make_contiguous(TypeForm::small, 2, datatype_of(MPI_INT), made));
  const Ref<Datatype> pair(made);
  Error error = check_op(op_of(MPI_SUM), *made);
  CHECK(error.error_class() == ErrorClass::op);
  CHECK(std::string(error.sentence()) == "MPI_SUM is not defined for the datatype contiguous type");
  made->name = "two ints";
  error = check_op(op_of(MPI_SUM), *made);
  CHECK(std::string(error.sentence()) == "MPI_SUM is not defined for the datatype two ints");
}

namespace {

std::vector<Count> lengths_seen;

// Products of 2x2 matrices: not commutative.
void multiply(void* in, void* inout, int* length, MPI_Datatype* type) {
  CHECK(datatype_of(*type).size() == 16);
  lengths_seen.push_back(*length);
  const int* a = static_cast<int*>(in);
  int* b = static_cast<int*>(inout);
  for (int i = 0; i < *length; ++i, a += 4, b += 4) {
    const int product[] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                           a[2] * b[1] + a[3] * b[3]};
    std::memcpy(b, product, sizeof product);
  }
}

void count_calls(void*, void*, MPI_Count* length, MPI_Datatype*, void* context) { *static_cast<Count*>(context) += *length; }

void take_length(void*, void*, int* length, MPI_Datatype*) { lengths_seen.push_back(*length); }

}  // namespace

TEST_CASE("user operations get the lower ranks first and their own form of count") {
  define();
  Datatype* made = nullptr;
  REQUIRE(!make_contiguous(TypeForm::small, 4, datatype_of(MPI_INT), made));
  const Ref<Datatype> matrix(made);
  Op op({reinterpret_cast<void (*)()>(&multiply), nullptr}, OpForm::count_int, false);
  const int a[] = {1, 2, 3, 4}, b[] = {0, 1, 1, 0};
  int inout[] = {0, 1, 1, 0}, out[4];
  lengths_seen.clear();
  CHECK(!check_op(op, *matrix));
  CHECK(!reduce(op, *matrix, a, inout, 1));
  CHECK(!reduce3(op, *matrix, a, b, out, 1));
  const int right[] = {2, 1, 4, 3};
  CHECK(std::memcmp(inout, right, sizeof right) == 0);
  CHECK(std::memcmp(out, right, sizeof right) == 0);
  CHECK(lengths_seen == std::vector<Count>{1, 1});

  Count calls = 0;
  Op large({reinterpret_cast<void (*)()>(&count_calls), &calls}, OpForm::count_large, true);
  CHECK(!reduce(large, *matrix, nullptr, nullptr, Count{1} << 33));
  CHECK(calls == Count{1} << 33);

  Op narrow({reinterpret_cast<void (*)()>(&take_length), nullptr}, OpForm::count_int, true);
  lengths_seen.clear();
  CHECK(!reduce(narrow, *matrix, nullptr, nullptr, (Count{1} << 32) + 5));
  CHECK(lengths_seen == std::vector<Count>{2147483647, 2147483647, 7});
}
