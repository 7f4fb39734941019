// SPDX-License-Identifier: BSD-3-Clause
// What selection has answered on a communicator, by operation, kind of call and size: one load a call.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "coll/select.h"

namespace ompi_lite::coll {

// Filled as calls come. An entry never changes while the table lives, so calls of one kind always go one way. Owned by the
// communicator's State; guarded like it.
class ChoiceTable {
 public:
  // `by_messages`: only algorithms that go by messages were compared. `decide()` gives the choice when it is asked first.
  template <class Decide>
  Choice find(const Question& question, bool by_messages, Decide&& decide) {
    const unsigned flags = (question.commutative ? 1u : 0u) | (question.plain ? 2u : 0u) | (question.exact ? 4u : 0u) |
                           (question.fixed_order ? 8u : 0u) | (by_messages ? 16u : 0u);
    std::uint8_t& row = row_of_[static_cast<std::size_t>(question.operation) * kKinds + flags];
    if (row == 0) {
      if (rows_.size() == kMostRows) return decide();
      rows_.push_back(std::make_unique<Row>());
      rows_.back()->fill(kEmpty);
      row = static_cast<std::uint8_t>(rows_.size());
    }
    std::uint8_t& entry = (*rows_[row - 1u])[class_of(question.bytes)];
    if (entry == kEmpty) entry = decide().algorithm;
    Question rounded = question;
    rounded.bytes = rounded_bytes(question.bytes);
    return {entry, algorithm_row(question.operation, entry)->usual(rounded)};
  }
  // Sizes of a class are rounded to the same bytes.
  static constexpr std::size_t class_of(Count bytes) {
    const int low = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes))) - 3);
    return static_cast<std::size_t>(4 * low + (bytes >> low));
  }

 private:
  static constexpr std::size_t kKinds = 32, kClasses = 256, kMostRows = 254;
  static constexpr std::uint8_t kEmpty = 0xff;
  using Row = std::array<std::uint8_t, kClasses>;
  std::array<std::uint8_t, kOperations * kKinds> row_of_{};  // 1 more than the place in rows_
  std::vector<std::unique_ptr<Row>> rows_;
};

}  // namespace ompi_lite::coll
