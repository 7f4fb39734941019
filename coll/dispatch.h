// SPDX-License-Identifier: BSD-3-Clause
// From the number of an algorithm to its text. Only whoever runs an operation instantiates its algorithms.
#pragma once

#include <utility>

#include "coll/algorithms/table.h"
#include "coll/calls.h"
#include "coll/select.h"

namespace ompi_lite::coll {

template <Operation operation, int number>
constexpr bool exists() {
  if constexpr (requires { AlgorithmOf<operation, number>::none; }) {
    return false;
  } else {
    static_assert(DescribesAlgorithm<AlgorithmOf<operation, number>>, "an algorithm needs a name and a cost");
    return true;
  }
}

// Calls body.operator()<A>(number) for each algorithm of the operation that is written on Steps.
template <Operation operation, class Body>
constexpr void for_each_algorithm(Body&& body) {
  [&]<int... number>(std::integer_sequence<int, number...>) {
    const auto one = [&]<int n>(std::integral_constant<int, n>) {
      if constexpr (exists<operation, n>()) body.template operator()<AlgorithmOf<operation, n>>(n);
    };
    (one(std::integral_constant<int, number>()), ...);
  }
  (std::make_integer_sequence<int, kCellsAlgorithm>());
}

// Runs the chosen algorithm, which is not one of the node.
template <Operation operation, class S>
void run(S& steps, const Choice& choice, CallOf<operation> call) {
  call.parameter = choice.parameter;
  for_each_algorithm<operation>([&]<class A>(int number) {
    if (number == choice.algorithm) A::run(steps, call);
  });
}

// Whether the chosen broadcast wants bytes.
inline bool wants_bytes(const Choice& choice) {
  bool wants = false;
  for_each_algorithm<Operation::bcast>([&]<class A>(int number) {
    if (number == choice.algorithm) wants = cuts_bytes<A>();
  });
  return wants;
}

}  // namespace ompi_lite::coll
