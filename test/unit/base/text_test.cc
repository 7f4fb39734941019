// SPDX-License-Identifier: BSD-3-Clause
// Numbers and bytes as text: what is not wholly one is none.
#include "ompi_lite/base/text.h"

#include <catch2/catch.hpp>
#include <cstdint>

namespace ompi_lite {

TEST_CASE("a number is the whole text", "[base]") {
  CHECK(parse_number<int>("-12") == -12);
  CHECK(parse_number<std::int64_t>("5000000000") == 5'000'000'000);
  for (const char* text : {"", "-", " 1", "1 ", "1x", "+1", "0x1", "5000000000"}) CHECK(!parse_number<int>(text));
  CHECK(whole_number("0") == 0);
  CHECK(!whole_number("-1"));
}

TEST_CASE("bytes come back from their digits", "[base]") {
  const std::vector<std::byte> bytes{std::byte{0}, std::byte{0x9f}, std::byte{0xff}};
  CHECK(hex_of(bytes) == "009fff");
  CHECK(bytes_of_hex("009fff") == bytes);
  CHECK(bytes_of_hex("")->empty());
  for (const char* text : {"0", "0g", "-1", "00 1", "0x00"}) CHECK(!bytes_of_hex(text));
}

}  // namespace ompi_lite
