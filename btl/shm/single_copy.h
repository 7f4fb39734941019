// SPDX-License-Identifier: BSD-3-Clause
// Reading and writing a peer's memory with one copy, where the system lets us.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/segment.h"

namespace ompi_lite::btl::shm {

// One per endpoint. Tries once whether the peer can be read, and whether it can be written; "no" is final.
class SingleCopy {
 public:
  explicit SingleCopy(const NodeRank& peer) : peer_(&peer) {}

  // Returns an Error of class unsupported_operation if the peer cannot be read at all; else `result` says how the copy went.
  Error read(std::uint64_t address, std::byte* to, std::size_t bytes, Error& result);
  Error write(std::uint64_t address, const std::byte* from, std::size_t bytes, Error& result);  // the same

 private:
  enum class Access { untried, granted, refused };
  Error try_reading();
  Error try_writing();

  const NodeRank* peer_;
  Access reading_ = Access::untried;
  Access writing_ = Access::untried;
};

}  // namespace ompi_lite::btl::shm
