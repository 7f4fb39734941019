// SPDX-License-Identifier: BSD-3-Clause
// One thread's part of a reduction in device memory: the source of the plugin's kernel and, as host code, of its double.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ompi_lite/core/op_elements.h"

namespace ompi_lite::kernels {

// The elements by the number of their Representation, as far as devices have them; where there is none there is no kernel.
using DeviceElements =
    TypeList<void, std::int8_t, std::int16_t, std::int32_t, std::int64_t, void, std::uint8_t, std::uint16_t, std::uint32_t,
             std::uint64_t, Half, float, double, void, void, Complex<Half>, Complex<float>, Complex<double>, void, void,
             Located<float, int>, Located<double, int>, Located<long, int>, Located<int, int>, Located<short, int>, void,
             Located<float, float>, Located<double, double>, Brain>;

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

template <class Operation>
constexpr bool reduce_elements(int, const DevicePart&, TypeList<>) {
  return false;
}
template <class Operation, class T, class... Others>
constexpr bool reduce_elements(int element, const DevicePart& part, TypeList<T, Others...>) {
  if (element != 0) return reduce_elements<Operation>(element - 1, part, TypeList<Others...>());
  if constexpr (!std::is_void_v<T>) return reduce_part<Operation, T>(part);
  return false;
}

// `op` is the number of an OpKind. False: there is no kernel for the pair.
constexpr bool reduce_on_device(int op, int element, const DevicePart& part) {
  constexpr DeviceElements all;
  switch (op) {
    case 0:
      return reduce_elements<Sum>(element, part, all);
    case 1:
      return reduce_elements<Min>(element, part, all);
    case 2:
      return reduce_elements<Max>(element, part, all);
    case 3:
      return reduce_elements<Prod>(element, part, all);
    case 4:
      return reduce_elements<Band>(element, part, all);
    case 5:
      return reduce_elements<Bor>(element, part, all);
    case 6:
      return reduce_elements<Bxor>(element, part, all);
    case 7:
      return reduce_elements<Land>(element, part, all);
    case 8:
      return reduce_elements<Lor>(element, part, all);
    case 9:
      return reduce_elements<Lxor>(element, part, all);
    case 10:
      return reduce_elements<Minloc>(element, part, all);
    case 11:
      return reduce_elements<Maxloc>(element, part, all);
    default:
      return false;
  }
}

}  // namespace ompi_lite::kernels
