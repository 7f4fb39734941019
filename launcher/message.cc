// SPDX-License-Identifier: BSD-3-Clause
// Bodies of messages.
#include "launcher/message.h"

#include "ompi_lite/config.h"

namespace ompi_lite::launcher {

std::string greeting() {
  constexpr std::uint32_t order = 0x31323334;  // "4321" where the least byte comes first
  const std::string as_stored(reinterpret_cast<const char*>(&order), sizeof(order));
  return std::string(kGreetingMark) + PACKAGE_VERSION " " + as_stored + "\n";
}

Writer& Writer::put(const std::vector<int>& numbers) {
  put(static_cast<std::uint64_t>(numbers.size()));
  text_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(int));
  return *this;
}

Writer& Writer::put(const std::vector<std::string>& texts) {
  put(static_cast<std::uint64_t>(texts.size()));
  for (const std::string& text : texts) put(std::string_view(text));
  return *this;
}

std::string_view Reader::take(std::uint64_t bytes) {
  if (bytes > rest_.size()) {
    good_ = false;
    rest_ = {};
    return {};
  }
  const std::string_view taken = rest_.substr(0, bytes);
  rest_.remove_prefix(bytes);
  return taken;
}

// Any other byte than those of false and true would be undefined as a bool.
void Reader::get(bool& truth) {
  const auto byte = next<std::uint8_t>();
  truth = byte == 1;
  if (byte > 1) good_ = false;
}

void Reader::get(std::string& text) { text = take(next<std::uint64_t>()); }

void Reader::get(std::vector<int>& numbers) {
  const auto count = next<std::uint64_t>();
  numbers.clear();
  if (count > rest_.size() / sizeof(int)) {
    good_ = false;
    return;
  }
  numbers.resize(count);
  for (int& number : numbers) get(number);
}

void Reader::get(std::vector<std::string>& texts) {
  const auto count = next<std::uint64_t>();
  texts.clear();
  for (std::uint64_t i = 0; i < count && good_; ++i) texts.push_back(next<std::string>());
}

}  // namespace ompi_lite::launcher
