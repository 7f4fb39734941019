// SPDX-License-Identifier: BSD-3-Clause
// Conversion to and from external32, one run of equal basic elements after the other.
#include "ompi_lite/core/external32.h"

#include <algorithm>
#include <cstring>

#include "ompi_lite/core/predefined_types.h"

namespace ompi_lite {
namespace {

// A basic element as numbers: a complex one is two.
struct Numbers {
  int count;
  int native_bytes;
  int external_bytes;
  bool is_signed;
  bool long_double;
};

Numbers numbers_of(const BasicType& basic) {
  const int count = basic.kind == BasicKind::complex ? 2 : 1;
  const bool is_unsigned = basic.representation >= Representation::uint8 && basic.representation <= Representation::uint64;
  const bool long_double =
      basic.representation == Representation::float80 || basic.representation == Representation::complex80x2;
  return {.count = count,
          .native_bytes = basic.size / count,
          .external_bytes = basic.external_size / count,
          .is_signed = !is_unsigned,
          .long_double = long_double};
}

void copy_reversed(const std::byte* from, std::byte* to, std::size_t bytes) { std::reverse_copy(from, from + bytes, to); }

void number_to_external(const Numbers& numbers, const std::byte* native, std::byte* external) {
  if (numbers.long_double) {
    long double value;
    std::memcpy(&value, native, sizeof value);
    const auto quad = static_cast<__float128>(value);
    std::byte bytes[sizeof quad];
    std::memcpy(bytes, &quad, sizeof quad);
    copy_reversed(bytes, external, sizeof quad);
    return;
  }
  copy_reversed(native, external,
                static_cast<std::size_t>(numbers.external_bytes));  // little endian: the lower bytes come first
}

void number_from_external(const Numbers& numbers, const std::byte* external, std::byte* native) {
  if (numbers.long_double) {
    __float128 quad;
    std::byte bytes[sizeof quad];
    copy_reversed(external, bytes, sizeof quad);
    std::memcpy(&quad, bytes, sizeof quad);
    const auto value = static_cast<long double>(quad);
    std::memset(native, 0, sizeof value);
    std::memcpy(native, &value, 10);
    return;
  }
  copy_reversed(external, native, static_cast<std::size_t>(numbers.external_bytes));
  if (numbers.native_bytes == numbers.external_bytes) return;
  const bool negative = numbers.is_signed && (external[0] & std::byte{0x80}) != std::byte{0};
  std::memset(native + numbers.external_bytes, negative ? 0xff : 0,
              static_cast<std::size_t>(numbers.native_bytes - numbers.external_bytes));
}

enum class Direction { to_external, from_external };

struct Places {
  std::byte* native;
  std::byte* external;
};

template <Direction direction>
void convert(const Signature& signature, Count count, Places& places) {
  for (Count i = 0; i < count; ++i) {
    for (const SignatureItem& item : signature.items()) {
      if (item.body != nullptr) {
        convert<direction>(*item.body, item.count, places);
        continue;
      }
      const Numbers numbers = numbers_of(basic_types()[static_cast<std::size_t>(item.basic)]);
      for (Count n = 0; n < item.count * numbers.count; ++n) {
        if constexpr (direction == Direction::to_external) {
          number_to_external(numbers, places.native, places.external);
        } else {
          number_from_external(numbers, places.external, places.native);
        }
        places.native += numbers.native_bytes;
        places.external += numbers.external_bytes;
      }
    }
  }
}

}  // namespace

Count external_bytes(const Signature& signature) {
  Count bytes = 0;
  for (const SignatureItem& item : signature.items()) {
    bytes += item.count * (item.body != nullptr ? external_bytes(*item.body)
                                                : basic_types()[static_cast<std::size_t>(item.basic)].external_size);
  }
  return bytes;
}

// One of the two places is only read; convert() takes both as writable to be written once.
void to_external(const Signature& signature, Count count, const std::byte* native, std::byte* external) {
  Places places{const_cast<std::byte*>(native), external};
  convert<Direction::to_external>(signature, count, places);
}

void from_external(const Signature& signature, Count count, const std::byte* external, std::byte* native) {
  Places places{native, const_cast<std::byte*>(external)};
  convert<Direction::from_external>(signature, count, places);
}

}  // namespace ompi_lite
