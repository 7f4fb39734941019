// SPDX-License-Identifier: BSD-3-Clause
// A text as the words in it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ompi_lite::launcher {

// Blanks and tabs part words; quotes mean nothing.
inline std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return words;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

}  // namespace ompi_lite::launcher
