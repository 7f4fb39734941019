// SPDX-License-Identifier: BSD-3-Clause
// From the arguments of an entry point, once they are read, to a semantic function.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ompi_lite/abi/read.h"
#include "ompi_lite/base/error.h"

namespace ompi_lite::abi {

// Which argument each parameter of the semantic function gets: in order, but a Length is passed over where the function goes
// on with a span, which brings its own.
template <class... P>
struct Parameters {
  template <class T>
  struct IsLength : std::false_type {};
  template <class T>
  struct IsLength<Length<T>> : std::true_type {};

  template <class... A>
  static constexpr std::array<std::size_t, sizeof...(P)> places() {
    constexpr std::array<bool, sizeof...(P) + 1> wants_number{std::is_arithmetic_v<P>...};
    constexpr std::array<bool, sizeof...(A) + 1> is_length{IsLength<A>::value...};
    std::array<std::size_t, sizeof...(P)> result{};
    std::size_t next = 0;
    for (std::size_t i = 0; i < sizeof...(P); ++i) {
      while (next < sizeof...(A) && is_length[next] && !wants_number[i]) ++next;
      result[i] = next++;
    }
    return result;
  }
};

template <auto function>
struct Run;
template <class... P, Error (*function)(P...)>
struct Run<function> {
  template <class... A>
  static Error with(A&... args) {
    [[maybe_unused]] static constexpr auto places = Parameters<P...>::template places<A...>();
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      [[maybe_unused]] auto all = std::forward_as_tuple(args...);
      return function(std::get<places[I]>(all).template as<P>()...);
    }
    (std::make_index_sequence<sizeof...(P)>{});
  }
};

}  // namespace ompi_lite::abi
