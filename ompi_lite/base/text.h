// SPDX-License-Identifier: BSD-3-Clause
// Numbers and bytes as text.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ompi_lite {

// The decimal number that the whole text is; nothing if it is none, or does not fit.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The same, and not below 0.
inline std::optional<int> whole_number(std::string_view text) {
  const std::optional<int> value = parse_number<int>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

// Two digits a byte, lower case.
inline std::string hex_of(std::span<const std::byte> bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

// Back; nothing if there is anything else in it.
inline std::optional<std::vector<std::byte>> bytes_of_hex(std::string_view text) {
  std::vector<std::byte> bytes;
  if (text.size() % 2 != 0) return std::nullopt;
  for (; !text.empty(); text.remove_prefix(2)) {
    unsigned value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + 2, value, 16);
    if (problem != std::errc() || end != text.data() + 2) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

}  // namespace ompi_lite
