// SPDX-License-Identifier: BSD-3-Clause
// What OL_CHECK prints before it aborts, and the knob behind OL_CHECK_SLOW.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "ompi_lite/base/knob.h"

namespace ompi_lite {

// One value of a failed check, as text needs it.
struct CheckedValue {
  enum class Kind { none, signed_integer, unsigned_integer, real, pointer, text };

  template <class T>
  CheckedValue(const T& value) {  // NOLINT: implicit on purpose
    if constexpr (std::is_enum_v<T>) {
      kind = Kind::signed_integer;
      as_signed = static_cast<std::int64_t>(value);
    } else if constexpr (std::signed_integral<T>) {
      kind = Kind::signed_integer;
      as_signed = static_cast<std::int64_t>(value);
    } else if constexpr (std::unsigned_integral<T>) {
      kind = Kind::unsigned_integer;
      as_unsigned = static_cast<std::uint64_t>(value);
    } else if constexpr (std::floating_point<T>) {
      kind = Kind::real;
      as_real = static_cast<double>(value);
    } else if constexpr (std::is_convertible_v<const T&, const char*>) {
      kind = Kind::text;
      as_text = value;
    } else if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) {
      kind = Kind::pointer;
      as_pointer = static_cast<const void*>(value);
    } else {
      static_assert(sizeof(T) == 0, "OL_CHECK prints numbers, enums, pointers and texts");
    }
  }

  Kind kind = Kind::none;
  union {
    std::int64_t as_signed = 0;
    std::uint64_t as_unsigned;
    double as_real;
    const char* as_text;
    const void* as_pointer;
  };
};

[[noreturn, gnu::cold]] void check_failed(const char* expression, const char* file, int line, const char* names,
                                          std::initializer_list<CheckedValue> values);

extern constinit Knob<bool> slow_checks;

}  // namespace ompi_lite
