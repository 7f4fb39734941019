// SPDX-License-Identifier: BSD-3-Clause
// The sets of reduction kernels, one for each set of instructions: all give the same bits.
#include "ompi_lite/core/op_kernels.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "ompi_lite/core/predefined_types.h"

using namespace ompi_lite;

namespace {

using Bytes = std::vector<std::byte>;
constexpr std::size_t kMostElements = 70, kMostBytes = 300, kRoom = 16;

// Where numbers lie in an element, what they are. Padding is nobody's business.
struct Number {
  enum class Kind { integer, half, brain, single, twice, extended, quadruple } kind;
  std::size_t at, bytes;
};
struct Shape {
  std::size_t extent;
  std::vector<Number> numbers;
};

Shape shape_of(Representation representation) {
  using K = Number::Kind;
  using R = Representation;
  switch (representation) {
    case R::int8:
    case R::uint8:
      return {1, {{K::integer, 0, 1}}};
    case R::int16:
    case R::uint16:
      return {2, {{K::integer, 0, 2}}};
    case R::int32:
    case R::uint32:
      return {4, {{K::integer, 0, 4}}};
    case R::int64:
    case R::uint64:
      return {8, {{K::integer, 0, 8}}};
    case R::int128:
      return {16, {{K::integer, 0, 16}}};
    case R::float16:
      return {2, {{K::half, 0, 2}}};
    case R::bfloat16:
      return {2, {{K::brain, 0, 2}}};
    case R::float32:
      return {4, {{K::single, 0, 4}}};
    case R::float64:
      return {8, {{K::twice, 0, 8}}};
    case R::float80:
      return {16, {{K::extended, 0, 10}}};
    case R::float128:
      return {16, {{K::quadruple, 0, 16}}};
    case R::complex16x2:
      return {4, {{K::half, 0, 2}, {K::half, 2, 2}}};
    case R::complex32x2:
      return {8, {{K::single, 0, 4}, {K::single, 4, 4}}};
    case R::complex64x2:
      return {16, {{K::twice, 0, 8}, {K::twice, 8, 8}}};
    case R::complex80x2:
      return {32, {{K::extended, 0, 10}, {K::extended, 16, 10}}};
    case R::complex128x2:
      return {32, {{K::quadruple, 0, 16}, {K::quadruple, 16, 16}}};
    case R::pair_float_int:
      return {8, {{K::single, 0, 4}, {K::integer, 4, 4}}};
    case R::pair_double_int:
      return {16, {{K::twice, 0, 8}, {K::integer, 8, 4}}};
    case R::pair_long_int:
      return {16, {{K::integer, 0, 8}, {K::integer, 8, 4}}};
    case R::pair_int_int:
      return {8, {{K::integer, 0, 4}, {K::integer, 4, 4}}};
    case R::pair_short_int:
      return {8, {{K::integer, 0, 2}, {K::integer, 4, 4}}};
    case R::pair_longdouble_int:
      return {32, {{K::extended, 0, 10}, {K::integer, 16, 4}}};
    case R::pair_float_float:
      return {8, {{K::single, 0, 4}, {K::single, 4, 4}}};
    case R::pair_double_double:
      return {16, {{K::twice, 0, 8}, {K::twice, 8, 8}}};
    default:
      return {0, {}};
  }
}

bool not_a_number(const Number& number, const std::byte* element) {
  std::uint64_t word[2] = {};
  std::memcpy(word, element + number.at, number.bytes);
  switch (number.kind) {
    case Number::Kind::half:
      return (word[0] & 0x7fff) > 0x7c00;
    case Number::Kind::brain:
      return (word[0] & 0x7fff) > 0x7f80;
    case Number::Kind::single:
      return (word[0] & 0x7fffffff) > 0x7f800000;
    case Number::Kind::twice:
      return (word[0] & ~(std::uint64_t{1} << 63)) > std::uint64_t{0x7ff} << 52;
    case Number::Kind::extended:
      return (word[1] & 0x7fff) == 0x7fff && (word[0] << 1) != 0;
    case Number::Kind::quadruple:
      return (word[1] & ~(std::uint64_t{1} << 63)) > std::uint64_t{0x7fff} << 48 ||
             ((word[1] & ~(std::uint64_t{1} << 63)) == std::uint64_t{0x7fff} << 48 && word[0] != 0);
    default:
      return false;
  }
}

// Any bits: also infinities, subnormal numbers and NaNs; few different values, so that many are equal.
void fill(std::byte* element, const Shape& shape, std::mt19937& random) {
  for (const Number& number : shape.numbers) {
    std::uint64_t word[2];
    for (std::uint64_t& each : word) each = std::uint64_t{random()} << 32 | random();
    const std::uint64_t how = random() % 8;
    if (how == 0) word[0] = word[1] = random() % 2 == 0 ? 0 : ~std::uint64_t{0};
    if (how == 1) word[0] >>= 64 - 8 * std::min<std::size_t>(8, number.bytes) + 6;  // small numbers, subnormal ones
    if (number.kind == Number::Kind::extended) {  // there are bits that are no number at all
      const long double value = static_cast<long double>(static_cast<std::int64_t>(word[0])) * 1e-3L;
      std::memcpy(word, &value, 10);
    }
    std::memcpy(element + number.at, word, number.bytes);
  }
}

class Operands {
 public:
  Operands(const Shape& shape, std::size_t n, std::size_t misaligned, std::mt19937& random)
      : shape_(shape), n_(n), at_(misaligned), bytes_(n * shape.extent + 2 * kRoom, std::byte{0x55}) {
    for (std::size_t i = 0; i < n; ++i) fill(element(i), shape, random);
  }
  std::byte* data() { return bytes_.data() + at_; }
  std::byte* element(std::size_t i) { return data() + i * shape_.extent; }
  bool border_is_whole() const {
    const auto whole = [](std::byte byte) { return byte == std::byte{0x55}; };
    return std::all_of(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_), whole) &&
           std::all_of(bytes_.begin() + static_cast<std::ptrdiff_t>(at_ + n_ * shape_.extent), bytes_.end(), whole);
  }

 private:
  const Shape& shape_;
  std::size_t n_, at_;
  Bytes bytes_;
};

// Of a NaN that comes from two, or out of a product of complex numbers, nothing is promised but that it is one.
bool same(const Shape& shape, bool complex_product, const std::byte* a, const std::byte* b, const std::byte* got,
          const std::byte* wanted) {
  return std::ranges::all_of(shape.numbers, [&](const Number& number) {
    if (std::memcmp(got + number.at, wanted + number.at, number.bytes) == 0) return true;
    const bool both = not_a_number(number, got) && not_a_number(number, wanted);
    return both && (complex_product || (not_a_number(number, a) && not_a_number(number, b)));
  });
}

bool same_results(const Kernel& plain, const Kernel& other, const Shape& shape, bool complex_product) {
  std::mt19937 random(29);
  for (std::size_t n = 0; n <= std::max(kMostElements, kMostBytes / shape.extent);
       ++n) {  // few elements have loops of their own
    for (const std::size_t misaligned : {0, 1, 3, 8}) {
      Operands a(shape, n, misaligned, random), b(shape, n, misaligned / 2, random), wanted = b, got = b;
      Operands three(shape, n, misaligned, random);
      const auto count = static_cast<Count>(n);
      plain.two(a.data(), wanted.data(), count);
      other.two(a.data(), got.data(), count);
      other.three(a.data(), b.data(), three.data(), count);
      for (std::size_t i = 0; i < n; ++i) {
        if (!same(shape, complex_product, a.element(i), b.element(i), got.element(i), wanted.element(i))) return false;
        if (!same(shape, complex_product, a.element(i), b.element(i), three.element(i), wanted.element(i))) return false;
      }
      if (!got.border_is_whole() || !three.border_is_whole()) return false;
    }
  }
  return true;
}

bool is_complex(Representation representation) {
  return representation >= Representation::complex16x2 && representation <= Representation::complex128x2;
}

}  // namespace

TEST_CASE("all sets of instructions give the same bits for every operation and element") {
  const auto sets = kernel_sets();
  REQUIRE(!sets.empty());
  CHECK(std::string(sets[0].name) == "plain");
  int compared = 0;
  for (const KernelSet& set : sets) {
    for (std::size_t op = 0; op < kArithmeticOps; ++op) {
      for (std::size_t r = 0; r < kRepresentations; ++r) {
        const Kernel plain = (*sets[0].table)[op][r], other = (*set.table)[op][r];
        REQUIRE(static_cast<bool>(plain) == static_cast<bool>(other));
        if (!plain) continue;
        const auto representation = static_cast<Representation>(r);
        const Shape shape = shape_of(representation);
        REQUIRE(shape.extent != 0);
        INFO(set.name << ", operation " << op << ", representation " << r);
        const bool complex_product = is_complex(representation) && op == static_cast<std::size_t>(OpKind::prod);
        CHECK(same_results(plain, other, shape, complex_product));
        ++compared;
      }
    }
  }
  CHECK(compared >= 100);
}

TEST_CASE("the kernels in use are one of the sets, and a name that is none is refused") {
  const auto sets = kernel_sets();
  CHECK(std::ranges::count(sets, kernel_set_in_use().table, &KernelSet::table) == 1);
  CHECK(!check_reduction_kernels());
  REQUIRE(!reduction_kernels.set("mmx"));
  const Error error = check_reduction_kernels();
  CHECK(error);
  const std::string sentence = error.sentence();
  CHECK(sentence.find("\"mmx\" is none that this processor has; known are automatic, plain") != std::string::npos);
  for (const KernelSet& set : sets) {
    REQUIRE(!reduction_kernels.set(set.name));
    CHECK(!check_reduction_kernels());
  }
  reduction_kernels.reset();
}

// Not run unless asked for: unit "[kernel speed]". Bytes of one input in a second, 16 KB a buffer.
TEST_CASE("how fast the kernels are", "[.][kernel speed]") {
  struct Row {
    const char* name;
    OpKind op;
    Representation representation;
  };
  const Row rows[] = {{"sum of float", OpKind::sum, Representation::float32},
                      {"sum of double", OpKind::sum, Representation::float64},
                      {"max of double", OpKind::max, Representation::float64},
                      {"sum of int32", OpKind::sum, Representation::int32},
                      {"product of int64", OpKind::prod, Representation::int64},
                      {"min of int8", OpKind::min, Representation::int8},
                      {"land of int32", OpKind::land, Representation::uint32},
                      {"sum of float16", OpKind::sum, Representation::float16},
                      {"max of float16", OpKind::max, Representation::float16},
                      {"sum of bfloat16", OpKind::sum, Representation::bfloat16},
                      {"max of bfloat16", OpKind::max, Representation::bfloat16},
                      {"product of complex float", OpKind::prod, Representation::complex32x2},
                      {"product of complex double", OpKind::prod, Representation::complex64x2},
                      {"maxloc of float, int", OpKind::maxloc, Representation::pair_float_int},
                      {"maxloc of int, int", OpKind::maxloc, Representation::pair_int_int},
                      {"maxloc of double, int", OpKind::maxloc, Representation::pair_double_int},
                      {"maxloc of double, double", OpKind::maxloc, Representation::pair_double_double}};
  constexpr std::size_t kBytes = 16 << 10;
  std::vector<std::byte> a(kBytes + 64, std::byte{0x3c}), b(kBytes + 64, std::byte{0x3a});
  std::printf("%-28s", "GB/s");
  for (const KernelSet& set : kernel_sets()) std::printf("%10s", set.name);
  std::printf("\n");
  for (const Row& row : rows) {
    std::printf("%-28s", row.name);
    const auto n = static_cast<Count>(kBytes / shape_of(row.representation).extent);
    for (const KernelSet& set : kernel_sets()) {
      const Kernel kernel = (*set.table)[static_cast<std::size_t>(row.op)][static_cast<std::size_t>(row.representation)];
      double best = 1e300;
      for (int round = 0; round < 200; ++round) {
        const auto start = std::chrono::steady_clock::now();
        for (int turn = 0; turn < 4; ++turn) kernel.two(a.data(), b.data() + 16, n);
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
        best = std::min(best, took.count() / 4);
      }
      std::printf("%10.1f", kBytes / best);
    }
    std::printf("\n");
  }
}
