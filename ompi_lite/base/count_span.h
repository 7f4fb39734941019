// SPDX-License-Identifier: BSD-3-Clause
// One read view over the three widths in which MPI hands over arrays of counts and displacements.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace ompi_lite {

using Count = std::int64_t;  // every count, displacement and extent below the door, in elements or bytes as the name says

// Does not own the array; `size` is known only where MPI gives it (0 otherwise). A null view stands for an argument that is
// not significant at this rank.
class CountSpan {
 public:
  constexpr CountSpan() = default;
  constexpr CountSpan(const int* values, std::size_t size = 0) : narrow_(values), size_(size) {}            // NOLINT: implicit
  constexpr CountSpan(const std::int64_t* values, std::size_t size = 0) : wide_(values), size_(size) {}     // NOLINT: implicit
  template <std::integral Index>
  constexpr Count operator[](Index i) const {
    return wide_ != nullptr ? wide_[i] : Count{narrow_[i]};
  }
  constexpr explicit operator bool() const { return narrow_ != nullptr || wide_ != nullptr; }
  constexpr std::size_t size() const { return size_; }

 private:
  const int* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace ompi_lite
