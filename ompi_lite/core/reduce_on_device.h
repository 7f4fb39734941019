// SPDX-License-Identifier: BSD-3-Clause
// One thread's part of a reduction in device memory: the source of the plugin's kernel and, as host code, of its double.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ompi_lite/core/op_elements.h"

namespace ompi_lite::kernels {

// The elements by the number of their Representation, as far as devices have them; other numbers have no kernel.
template <int representation>
struct DeviceElement {
  using Type = void;
};
template <>
struct DeviceElement<1> {
  using Type = std::int8_t;
};
template <>
struct DeviceElement<2> {
  using Type = std::int16_t;
};
template <>
struct DeviceElement<3> {
  using Type = std::int32_t;
};
template <>
struct DeviceElement<4> {
  using Type = std::int64_t;
};
template <>
struct DeviceElement<6> {
  using Type = std::uint8_t;
};
template <>
struct DeviceElement<7> {
  using Type = std::uint16_t;
};
template <>
struct DeviceElement<8> {
  using Type = std::uint32_t;
};
template <>
struct DeviceElement<9> {
  using Type = std::uint64_t;
};
template <>
struct DeviceElement<10> {
  using Type = Half;
};
template <>
struct DeviceElement<11> {
  using Type = float;
};
template <>
struct DeviceElement<12> {
  using Type = double;
};
template <>
struct DeviceElement<15> {
  using Type = Complex<Half>;
};
template <>
struct DeviceElement<16> {
  using Type = Complex<float>;
};
template <>
struct DeviceElement<17> {
  using Type = Complex<double>;
};
template <>
struct DeviceElement<20> {
  using Type = Located<float, int>;
};
template <>
struct DeviceElement<21> {
  using Type = Located<double, int>;
};
template <>
struct DeviceElement<22> {
  using Type = Located<long, int>;
};
template <>
struct DeviceElement<23> {
  using Type = Located<int, int>;
};
template <>
struct DeviceElement<24> {
  using Type = Located<short, int>;
};
template <>
struct DeviceElement<26> {
  using Type = Located<float, float>;
};
template <>
struct DeviceElement<27> {
  using Type = Located<double, double>;
};
template <>
struct DeviceElement<28> {
  using Type = Brain;
};
inline constexpr int kDeviceElements = 29;

// How two elements become one, where that is defined.
template <class Operation, class T>
struct Combine {
  static constexpr bool defined = requires(T a) { Operation::apply(a, a); };
  static constexpr T of(T a, T b) { return Operation::apply(a, b); }
};
// Sums of complex numbers are sums of their parts.
template <class T>
struct Combine<Sum, Complex<T>> {
  static constexpr bool defined = true;
  static constexpr Complex<T> of(Complex<T> a, Complex<T> b) {
    return {Sum::apply(a.real, b.real), Sum::apply(a.imaginary, b.imaginary)};
  }
};

// Where the elements of a launch lie, and which of them this thread does: first, first + step, ...
struct DevicePart {
  const void* in;
  void* inout;
  std::uint64_t first, step, count;
};

// The elements are aligned: the caller has looked.
template <class Operation, class T>
constexpr bool reduce_part(const DevicePart& part) {
  if constexpr (Combine<Operation, T>::defined) {
    const T* in = static_cast<const T*>(part.in);
    T* inout = static_cast<T*>(part.inout);
    for (std::uint64_t i = part.first; i < part.count; i += part.step) inout[i] = Combine<Operation, T>::of(in[i], inout[i]);
    return true;
  }
  return false;
}

template <class Operation, int element = 0>
constexpr bool reduce_elements(int wanted, const DevicePart& part) {
  if constexpr (element < kDeviceElements) {
    using T = typename DeviceElement<element>::Type;
    if (wanted != element) return reduce_elements<Operation, element + 1>(wanted, part);
    if constexpr (!std::is_void_v<T>) return reduce_part<Operation, T>(part);
  }
  return false;
}

// `op` is the number of an OpKind. False: there is no kernel for the pair.
constexpr bool reduce_on_device(int op, int element, const DevicePart& part) {
  switch (op) {
    case 0:
      return reduce_elements<Sum>(element, part);
    case 1:
      return reduce_elements<Min>(element, part);
    case 2:
      return reduce_elements<Max>(element, part);
    case 3:
      return reduce_elements<Prod>(element, part);
    case 4:
      return reduce_elements<Band>(element, part);
    case 5:
      return reduce_elements<Bor>(element, part);
    case 6:
      return reduce_elements<Bxor>(element, part);
    case 7:
      return reduce_elements<Land>(element, part);
    case 8:
      return reduce_elements<Lor>(element, part);
    case 9:
      return reduce_elements<Lxor>(element, part);
    case 10:
      return reduce_elements<Minloc>(element, part);
    case 11:
      return reduce_elements<Maxloc>(element, part);
    default:
      return false;
  }
}

}  // namespace ompi_lite::kernels
