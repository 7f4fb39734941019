// SPDX-License-Identifier: BSD-3-Clause
// Algorithms that the user forces, for all calls of an operation or for some sizes and numbers of ranks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "coll/algorithm.h"
#include "ompi_lite/base/error.h"

namespace ompi_lite::coll {

// What is to run: the number of an algorithm of the operation, and its parameter.
struct Choice {
  static constexpr std::uint8_t kAutomatic = 0xff;  // no algorithm is forced
  std::uint8_t algorithm = kAutomatic;
  Count parameter = 0;  // 0, if forced: the usual one of the algorithm

  bool automatic() const { return algorithm == kAutomatic; }
  bool node() const { return algorithm == kNodeAlgorithm; }
  bool cells() const { return algorithm == kCellsAlgorithm; }
  bool of_node() const { return !automatic() && algorithm >= kCellsAlgorithm; }
  bool operator==(const Choice&) const = default;
};

// A value; the same at all ranks.
class ForcedAlgorithms {
 public:
  // The last rule that fits the call; automatic if there is none.
  Choice of(const Question& question) const {
    return some_.empty() ? all_[static_cast<std::size_t>(question.operation)] : of_some(question);
  }
  bool none() const { return some_.empty() && all_ == std::array<Choice, kOperations>{}; }
  // For all calls of an operation, where no rule for some sizes or ranks comes first.
  Choice& operator[](std::size_t operation) { return all_[operation]; }

 private:
  // Calls of so many bytes (Question::bytes) and ranks, all inclusive.
  struct Range {
    Count least = 0, most = std::numeric_limits<Count>::max();
    bool has(Count value) const { return least <= value && value <= most; }
  };
  struct Rule {
    Operation operation;
    Range bytes, ranks;
    Choice choice;
  };
  friend Result<ForcedAlgorithms> parse_forced(std::string_view text);
  static Error parse_range(std::string_view text, Range& range);
  static Error parse_ranks(std::string_view text, Range& range);
  Error parse_item(std::string_view item);
  Choice of_some(const Question& question) const;

  std::array<Choice, kOperations> all_{};
  std::vector<Rule> some_;
};

// From a text such as "allreduce=ring,bcast=knomial:4,allreduce:64-4k@p<=16=node". What comes later goes before what came
// earlier. An error names the word and what is known.
Result<ForcedAlgorithms> parse_forced(std::string_view text);

}  // namespace ompi_lite::coll
