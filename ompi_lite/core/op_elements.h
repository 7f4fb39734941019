// SPDX-License-Identifier: BSD-3-Clause
// What the predefined reductions do to one pair of elements: the elements, and the operations on them. All is constexpr,
// which lets the compiler for devices use it, too.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ompi_lite::kernels {

// Elements that are no arithmetic types of the language.
struct Half {  // IEEE binary16
  std::uint16_t bits;
};
struct Brain {  // the upper half of a binary32
  std::uint16_t bits;
};
template <class T>
concept Short = std::is_same_v<T, Half> || std::is_same_v<T, Brain>;
template <class T>
struct Complex {
  T real, imaginary;
};
template <class Value, class Index>
struct Located {
  Value value;
  Index index;
};

// The element behind each Representation, in its order.
template <class... T>
struct TypeList {
  static constexpr std::size_t size = sizeof...(T);
};
struct NoElement {};
using Elements =
    TypeList<NoElement, std::int8_t, std::int16_t, std::int32_t, std::int64_t, __int128, std::uint8_t, std::uint16_t,
             std::uint32_t, std::uint64_t, Half, float, double, long double, __float128, Complex<Half>, Complex<float>,
             Complex<double>, Complex<long double>, Complex<__float128>, Located<float, int>, Located<double, int>,
             Located<long, int>, Located<int, int>, Located<short, int>, Located<long double, int>, Located<float, float>,
             Located<double, double>, Brain>;

// Without branches: the loops around them have to fit into wide registers. Not a number stays so, quiet, with the upper bits
// of its payload, as processors do it that convert by themselves.
template <class To, class From>
[[gnu::always_inline]] inline constexpr To bits_as(From from) {
  return std::bit_cast<To>(from);
}

// `yes` ? a : b, in a form that compilers do not turn into a jump.
[[gnu::always_inline]] inline constexpr std::uint32_t pick(bool yes, std::uint32_t a, std::uint32_t b) {
  return b ^ ((a ^ b) & (0u - static_cast<std::uint32_t>(yes)));
}

// IEEE binary16 to binary32, exactly.
[[gnu::always_inline]] inline constexpr float widened(Half half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = half.bits & 0x7fffu;
  const std::uint32_t normal = (magnitude << 13) + ((127u - 15u) << 23);
  const std::uint32_t infinite = (magnitude << 13) + ((255u - 31u) << 23);  // or NaN, quiet
  const std::uint32_t quiet = pick(magnitude > 0x7c00u, 0x400000u, 0);
  const auto subnormal = bits_as<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  const std::uint32_t finite = pick(magnitude >= 0x400u, normal, subnormal);
  return bits_as<float>(pick(magnitude >= 0x7c00u, infinite | quiet, finite) | sign);
}

[[gnu::always_inline]] inline constexpr float widened(Brain brain) {
  return bits_as<float>(std::uint32_t{brain.bits} << 16);
}

// And back, rounded to nearest, ties to even.
template <Short T>
constexpr T narrowed(float value);
template <>
[[gnu::always_inline]] inline constexpr Brain narrowed<Brain>(float value) {
  const auto bits = bits_as<std::uint32_t>(value);
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;  // rounding could make it infinity
  return {static_cast<std::uint16_t>(is_nan ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}
template <>
[[gnu::always_inline]] inline constexpr Half narrowed<Half>(float value) {
  const auto bits = bits_as<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t rebased = magnitude - ((127u - 15u) << 23);
  const std::uint32_t normal = (rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13;
  // Adding 0.5 moves the bits of a subnormal half to the end of the mantissa; the addition rounds.
  const std::uint32_t subnormal = bits_as<std::uint32_t>(bits_as<float>(magnitude) + 0.5f) - 0x3f000000u;
  const std::uint32_t finite = pick(magnitude >= 0x38800000u, normal, subnormal);
  const std::uint32_t in_range = pick(magnitude >= 0x477ff000u, 0x7c00u, finite);  // rounds to 2^16 or more
  const std::uint32_t not_a_number = 0x7e00u | (magnitude >> 13 & 0x3ffu);
  const std::uint32_t half = pick(magnitude > 0x7f800000u, not_a_number, in_range);
  return {static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | half)};
}

// Operations. Each says for which elements it is defined; integers wrap around, so sums and products are unsigned.
template <class T>
concept Integer = std::is_integral_v<T> || std::is_same_v<T, __int128> || std::is_same_v<T, unsigned __int128>;
template <class T>
concept Floating = std::is_floating_point_v<T> || std::is_same_v<T, __float128>;
template <class T>
concept Ordered = Integer<T> || Floating<T>;

template <class T>
struct UnsignedOf {
  using Type = std::make_unsigned_t<T>;
};
template <>
struct UnsignedOf<__int128> {
  using Type = unsigned __int128;
};
template <>
struct UnsignedOf<unsigned __int128> {
  using Type = unsigned __int128;
};
template <class T>
using Unsigned = typename UnsignedOf<T>::Type;
// Narrow factors would be promoted to int and overflow it.
template <class T>
using Factor = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, Unsigned<T>>;

struct Sum {
  template <Integer T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return static_cast<T>(static_cast<Factor<T>>(a) + static_cast<Factor<T>>(b));
  }
  template <Floating T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return a + b;
  }
  template <Short T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return narrowed<T>(widened(a) + widened(b));
  }
};

struct Prod {
  template <Integer T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return static_cast<T>(static_cast<Factor<T>>(a) * static_cast<Factor<T>>(b));
  }
  template <Floating T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return a * b;
  }
  template <Short T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return narrowed<T>(widened(a) * widened(b));
  }
  template <class T>
  [[gnu::always_inline]] static constexpr Complex<T> apply(Complex<T> a, Complex<T> b) {
    if constexpr (std::is_same_v<T, Half>) {
      const Complex<float> x{widened(a.real), widened(a.imaginary)}, y{widened(b.real), widened(b.imaginary)};
      const Complex<float> product = apply(x, y);
      return {narrowed<Half>(product.real), narrowed<Half>(product.imaginary)};
    } else {
      return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
    }
  }
};

struct Max {
  template <Ordered T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return a > b ? a : b;
  }
  template <Short T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return widened(a) > widened(b) ? a : b;
  }
};

struct Min {
  template <Ordered T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return a < b ? a : b;
  }
  template <Short T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return widened(a) < widened(b) ? a : b;
  }
};

struct Band {
  template <Integer T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Bor {
  template <Integer T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Bxor {
  template <Integer T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
// Both sides are evaluated on purpose: no branch in the loop.
struct Land {
  template <Integer T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return static_cast<T>(static_cast<int>(a != 0) & static_cast<int>(b != 0));
  }
};
struct Lor {
  template <Integer T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return static_cast<T>((a | b) != 0);
  }
};
struct Lxor {
  template <Integer T>
  [[gnu::always_inline]] static constexpr T apply(T a, T b) {
    return static_cast<T>((a != 0) != (b != 0));
  }
};

// Of equal values the lower index wins (MPI 5.0, section 6.9.4).
struct Maxloc {
  template <class V, class I>
  [[gnu::always_inline]] static constexpr Located<V, I> apply(Located<V, I> a, Located<V, I> b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};
struct Minloc {
  template <class V, class I>
  [[gnu::always_inline]] static constexpr Located<V, I> apply(Located<V, I> a, Located<V, I> b) {
    return a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};

}  // namespace ompi_lite::kernels
