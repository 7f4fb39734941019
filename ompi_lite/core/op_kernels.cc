// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the predefined reductions: one loop, an operation and a representation as parameters, one constexpr table.
#include "ompi_lite/core/op_kernels.h"

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

namespace ompi_lite {
namespace {

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

// IEEE binary16 to binary32, exactly.
inline float widened(Half half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = half.bits & 0x7fffu;
  float result;
  if (magnitude >= 0x7c00u) {  // infinity, NaN
    const std::uint32_t bits = 0x7f800000u | (magnitude & 0x3ffu) << 13;
    std::memcpy(&result, &bits, sizeof result);
  } else if (magnitude >= 0x400u) {
    const std::uint32_t bits = (magnitude << 13) + ((127u - 15u) << 23);
    std::memcpy(&result, &bits, sizeof result);
  } else {
    result = static_cast<float>(magnitude) * 0x1p-24f;
  }
  std::uint32_t bits;
  std::memcpy(&bits, &result, sizeof bits);
  bits |= sign;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

inline float widened(Brain brain) {
  const std::uint32_t bits = std::uint32_t{brain.bits} << 16;
  float result;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

// And back, rounded to nearest, ties to even.
template <Short T>
T narrowed(float value);
template <>
inline Brain narrowed<Brain>(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;  // rounding could make it infinity
  return {static_cast<std::uint16_t>(is_nan ? bits >> 16 | 0x40u : (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
}
template <>
inline Half narrowed<Half>(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  bits &= 0x7fffffffu;
  std::uint32_t half;
  if (bits > 0x7f800000u) {
    half = 0x7e00u;
  } else if (bits >= 0x477ff000u) {  // rounds to 2^16 or more
    half = 0x7c00u;
  } else if (bits >= 0x38800000u) {
    const std::uint32_t rebased = bits - ((127u - 15u) << 23);
    half = (rebased + 0xfffu + ((rebased >> 13) & 1u)) >> 13;
  } else {
    // Adding 0.5 moves the bits of a subnormal half to the end of the mantissa; the addition rounds.
    float magnitude;
    std::memcpy(&magnitude, &bits, sizeof magnitude);
    magnitude += 0.5f;
    std::memcpy(&bits, &magnitude, sizeof bits);
    half = bits - 0x3f000000u;
  }
  return {static_cast<std::uint16_t>(sign | half)};
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
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Factor<T>>(a) + static_cast<Factor<T>>(b));
  }
  template <Floating T>
  static T apply(T a, T b) {
    return a + b;
  }
  template <Short T>
  static T apply(T a, T b) {
    return narrowed<T>(widened(a) + widened(b));
  }
};

struct Prod {
  template <Integer T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Factor<T>>(a) * static_cast<Factor<T>>(b));
  }
  template <Floating T>
  static T apply(T a, T b) {
    return a * b;
  }
  template <Short T>
  static T apply(T a, T b) {
    return narrowed<T>(widened(a) * widened(b));
  }
  template <class T>
  static Complex<T> apply(Complex<T> a, Complex<T> b) {
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
  static T apply(T a, T b) {
    return a > b ? a : b;
  }
  template <Short T>
  static T apply(T a, T b) {
    return widened(a) > widened(b) ? a : b;
  }
};

struct Min {
  template <Ordered T>
  static T apply(T a, T b) {
    return a < b ? a : b;
  }
  template <Short T>
  static T apply(T a, T b) {
    return widened(a) < widened(b) ? a : b;
  }
};

struct Band {
  template <Integer T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Bor {
  template <Integer T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Bxor {
  template <Integer T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
// Both sides are evaluated on purpose: no branch in the loop.
struct Land {
  template <Integer T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<int>(a != 0) & static_cast<int>(b != 0));
  }
};
struct Lor {
  template <Integer T>
  static T apply(T a, T b) {
    return static_cast<T>((a | b) != 0);
  }
};
struct Lxor {
  template <Integer T>
  static T apply(T a, T b) {
    return static_cast<T>((a != 0) != (b != 0));
  }
};

// Of equal values the lower index wins (MPI 5.0, section 6.9.4).
struct Maxloc {
  template <class V, class I>
  static Located<V, I> apply(Located<V, I> a, Located<V, I> b) {
    return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};
struct Minloc {
  template <class V, class I>
  static Located<V, I> apply(Located<V, I> a, Located<V, I> b) {
    return a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};

// Which elements the processor has wide instructions for; the pragma below makes both compilers use them at -O2, too.
template <class T>
constexpr bool kWide = std::is_arithmetic_v<T> && sizeof(T) <= 8;

// A number at any address. Through memcpy the compiler would not see that selections of floating point numbers are maxima
// and minima, for which there are instructions.
template <class T>
struct Anywhere {
  typedef T Type __attribute__((aligned(1), may_alias));
};

template <class T>
inline T load(const void* base, Count i) {
  if constexpr (kWide<T>) {
    return static_cast<const typename Anywhere<T>::Type*>(base)[i];
  } else {
    T value;
    std::memcpy(&value, static_cast<const char*>(base) + i * static_cast<Count>(sizeof(T)), sizeof(T));
    return value;
  }
}

template <class T>
inline void store(void* base, Count i, const T& value) {
  if constexpr (kWide<T>) {
    static_cast<typename Anywhere<T>::Type*>(base)[i] = value;
  } else {
    std::memcpy(static_cast<char*>(base) + i * static_cast<Count>(sizeof(T)), &value, sizeof(T));
  }
}

template <class Operation, class T>
void two_buffers(const void* __restrict in, void* __restrict inout, Count n) {
  if constexpr (kWide<T>) {
#pragma omp simd
    for (Count i = 0; i < n; ++i) store<T>(inout, i, Operation::apply(load<T>(in, i), load<T>(inout, i)));
  } else {
    for (Count i = 0; i < n; ++i) store<T>(inout, i, Operation::apply(load<T>(in, i), load<T>(inout, i)));
  }
}

template <class Operation, class T>
void three_buffers(const void* __restrict a, const void* __restrict b, void* __restrict out, Count n) {
  if constexpr (kWide<T>) {
#pragma omp simd
    for (Count i = 0; i < n; ++i) store<T>(out, i, Operation::apply(load<T>(a, i), load<T>(b, i)));
  } else {
    for (Count i = 0; i < n; ++i) store<T>(out, i, Operation::apply(load<T>(a, i), load<T>(b, i)));
  }
}

// A sum of complex numbers is a sum of twice as many real ones.
template <class T>
constexpr Kernel complex_sum() {
  return {[](const void* in, void* inout, Count n) { two_buffers<Sum, T>(in, inout, 2 * n); },
          [](const void* a, const void* b, void* out, Count n) { three_buffers<Sum, T>(a, b, out, 2 * n); }};
}

template <class Operation, class T>
constexpr Kernel kernel(std::type_identity<T>) {
  if constexpr (requires(T a) { Operation::apply(a, a); }) {
    return {&two_buffers<Operation, T>, &three_buffers<Operation, T>};
  } else {
    return {};
  }
}

template <class Operation, class T>
constexpr Kernel kernel(std::type_identity<Complex<T>>) {
  using Both = Complex<T>;
  if constexpr (std::is_same_v<Operation, Sum>) {
    return complex_sum<T>();
  } else if constexpr (requires(Both a) { Operation::apply(a, a); }) {
    return {&two_buffers<Operation, Both>, &three_buffers<Operation, Both>};
  } else {
    return {};
  }
}

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
constexpr auto kRepresentations = static_cast<std::size_t>(Representation::count_of_them);
static_assert(Elements::size == kRepresentations);

// What does not depend on the sign shares the code of the unsigned element.
template <class Operation, class T>
struct ElementFor {
  using Type = T;
};
template <class Operation, Integer T>
requires(!std::is_same_v<Operation, Max> && !std::is_same_v<Operation, Min>) struct ElementFor<Operation, T> {
  using Type = Unsigned<T>;
};

template <class Operation, class... T>
constexpr std::array<Kernel, kRepresentations> kernels_of(TypeList<T...>) {
  return {kernel<Operation>(std::type_identity<typename ElementFor<Operation, T>::Type>())...};
}

// In the order of OpKind, as far as there is arithmetic.
constexpr std::size_t kArithmeticOps = static_cast<std::size_t>(OpKind::replace);
constexpr std::array<std::array<Kernel, kRepresentations>, kArithmeticOps> kKernels = {
    kernels_of<Sum>(Elements()),  kernels_of<Min>(Elements()),    kernels_of<Max>(Elements()),
    kernels_of<Prod>(Elements()), kernels_of<Band>(Elements()),   kernels_of<Bor>(Elements()),
    kernels_of<Bxor>(Elements()), kernels_of<Land>(Elements()),   kernels_of<Lor>(Elements()),
    kernels_of<Lxor>(Elements()), kernels_of<Minloc>(Elements()), kernels_of<Maxloc>(Elements())};

// Elements as bytes.
template <std::size_t bytes>
void copy_first(const void* a, const void*, void* out, Count n) {
  std::memcpy(out, a, static_cast<std::size_t>(n) * bytes);
}
template <std::size_t bytes>
void copy_second(const void*, const void* b, void* out, Count n) {
  std::memcpy(out, b, static_cast<std::size_t>(n) * bytes);
}
template <std::size_t bytes>
constexpr Kernel kReplace = {[](const void* in, void* inout, Count n) { copy_first<bytes>(in, nullptr, inout, n); },
                             &copy_first<bytes>};
template <std::size_t bytes>
constexpr Kernel kNoOp = {[](const void*, void*, Count) {}, &copy_second<bytes>};

}  // namespace

Kernel arithmetic_kernel(OpKind op, Representation representation) {
  return kKernels[static_cast<std::size_t>(op)][static_cast<std::size_t>(representation)];
}

Kernel replace_kernel(int extent) {
  switch (extent) {
    case 1:
      return kReplace<1>;
    case 2:
      return kReplace<2>;
    case 4:
      return kReplace<4>;
    case 8:
      return kReplace<8>;
    case 16:
      return kReplace<16>;
    case 32:
      return kReplace<32>;
    default:
      return {};
  }
}

Kernel no_op_kernel(int extent) {
  switch (extent) {
    case 1:
      return kNoOp<1>;
    case 2:
      return kNoOp<2>;
    case 4:
      return kNoOp<4>;
    case 8:
      return kNoOp<8>;
    case 16:
      return kNoOp<16>;
    case 32:
      return kNoOp<32>;
    default:
      return {};
  }
}

}  // namespace ompi_lite
