// SPDX-License-Identifier: BSD-3-Clause
// The loops of the reduction kernels and the table of them all, to be instantiated once for each set of instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "ompi_lite/core/op_elements.h"
#include "ompi_lite/core/op_kernels.h"

namespace ompi_lite::kernels {

// Which elements processors have wide instructions for; the pragma below makes both compilers use them at -O2, too.
template <class T>
constexpr bool kWide = (std::is_arithmetic_v<T> && sizeof(T) <= 8) || Short<T>;

// A number at any address. Through memcpy the compiler would not see that selections of floating point numbers are maxima
// and minima, for which there are instructions.
template <class T>
struct Anywhere {
  typedef T Type __attribute__((aligned(1), may_alias));
};

template <class T>
[[gnu::always_inline]] inline T load(const void* base, Count i) {
  if constexpr (Short<T>) {
    return {load<std::uint16_t>(base, i)};
  } else if constexpr (kWide<T>) {
    return static_cast<const typename Anywhere<T>::Type*>(base)[i];
  } else {
    T value;
    std::memcpy(&value, static_cast<const char*>(base) + i * static_cast<Count>(sizeof(T)), sizeof(T));
    return value;
  }
}

template <class T>
[[gnu::always_inline]] inline void store(void* base, Count i, const T& value) {
  if constexpr (Short<T>) {
    store<std::uint16_t>(base, i, value.bits);
  } else if constexpr (kWide<T>) {
    static_cast<typename Anywhere<T>::Type*>(base)[i] = value;
  } else {
    std::memcpy(static_cast<char*>(base) + i * static_cast<Count>(sizeof(T)), &value, sizeof(T));
  }
}

// Two numbers, read and written one by one, so that a loop over them fits into wide registers.
template <class T>
struct Two {
  static constexpr bool wide = false;
};
template <class T>
requires kWide<T>
struct Two<Complex<T>> {
  static constexpr bool wide = true;
  [[gnu::always_inline]] static Complex<T> load_at(const void* base, Count i) {
    return {load<T>(base, 2 * i), load<T>(base, 2 * i + 1)};
  }
  [[gnu::always_inline]] static void store_at(void* base, Count i, const Complex<T>& value) {
    store<T>(base, 2 * i, value.real);
    store<T>(base, 2 * i + 1, value.imaginary);
  }
};
template <class V, class I>
requires(kWide<V>&& kWide<I> && sizeof(V) == sizeof(I)) struct Two<Located<V, I>> {
  static constexpr bool wide = true;
  // The value is moved as bits of the index's type: two types side by side would keep the loop out of wide registers.
  [[gnu::always_inline]] static Located<V, I> load_at(const void* base, Count i) {
    return {bits_as<V>(load<I>(base, 2 * i)), load<I>(base, 2 * i + 1)};
  }
  [[gnu::always_inline]] static void store_at(void* base, Count i, const Located<V, I>& value) {
    store<I>(base, 2 * i, bits_as<I>(value.value));
    store<I>(base, 2 * i + 1, value.index);
  }
};

// out = a op b; out may be b. No element depends on another one.
template <class Operation, class T>
[[gnu::always_inline]] inline void loop(const void* a, const void* b, void* out, Count n) {
  if constexpr (kWide<T>) {
#pragma omp simd
    for (Count i = 0; i < n; ++i) store<T>(out, i, Operation::apply(load<T>(a, i), load<T>(b, i)));
  } else if constexpr (Two<T>::wide) {
#pragma omp simd
    for (Count i = 0; i < n; ++i) Two<T>::store_at(out, i, Operation::apply(Two<T>::load_at(a, i), Two<T>::load_at(b, i)));
  } else {
    for (Count i = 0; i < n; ++i) store<T>(out, i, Operation::apply(load<T>(a, i), load<T>(b, i)));
  }
}

// A set of instructions is a class with two function templates that may use them: two(in, inout, n), three(a, b, out, n).
template <class Instructions, class Operation, class T>
constexpr Kernel kernel(std::type_identity<T>) {
  if constexpr (requires(T a) { Operation::apply(a, a); }) {
    return {&Instructions::template two<Operation, T>, &Instructions::template three<Operation, T>};
  } else {
    return {};
  }
}

// A sum of complex numbers is a sum of twice as many real ones.
struct ComplexSum {};
template <class Instructions, class Operation, class T>
constexpr Kernel kernel(std::type_identity<Complex<T>>) {
  using Both = Complex<T>;
  if constexpr (std::is_same_v<Operation, Sum>) {
    return {&Instructions::template two<ComplexSum, T>, &Instructions::template three<ComplexSum, T>};
  } else if constexpr (requires(Both a) { Operation::apply(a, a); }) {
    return {&Instructions::template two<Operation, Both>, &Instructions::template three<Operation, Both>};
  } else {
    return {};
  }
}
template <class Operation, class T>
[[gnu::always_inline]] inline void run(const void* a, const void* b, void* out, Count n) {
  if constexpr (std::is_same_v<Operation, ComplexSum>) {
    loop<Sum, T>(a, b, out, 2 * n);
  } else {
    loop<Operation, T>(a, b, out, n);
  }
}

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

template <class Instructions, class Operation, class... T>
constexpr std::array<Kernel, kRepresentations> kernels_of(TypeList<T...>) {
  return {kernel<Instructions, Operation>(std::type_identity<typename ElementFor<Operation, T>::Type>())...};
}

template <class I>
constexpr KernelTable table_of() {
  constexpr Elements all;
  return {kernels_of<I, Sum>(all),  kernels_of<I, Min>(all),  kernels_of<I, Max>(all),    kernels_of<I, Prod>(all),
          kernels_of<I, Band>(all), kernels_of<I, Bor>(all),  kernels_of<I, Bxor>(all),   kernels_of<I, Land>(all),
          kernels_of<I, Lor>(all),  kernels_of<I, Lxor>(all), kernels_of<I, Minloc>(all), kernels_of<I, Maxloc>(all)};
}

}  // namespace ompi_lite::kernels
