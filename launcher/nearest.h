// SPDX-License-Identifier: BSD-3-Clause
// What a misspelt word may have been meant to be.
#pragma once

#include <string_view>

namespace ompi_lite::launcher {

// Edits (insert, delete, replace, swap of neighbours) that lead from one word to the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

// Collects candidates and keeps the nearest; empty if all are too far away to be of help.
class Nearest {
 public:
  explicit Nearest(std::string_view word);
  void consider(std::string_view candidate);
  std::string_view word() const { return nearest_; }

 private:
  std::string_view wanted_;
  std::string_view nearest_;
  std::size_t least_;
};

}  // namespace ompi_lite::launcher
