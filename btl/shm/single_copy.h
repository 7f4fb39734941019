// SPDX-License-Identifier: BSD-3-Clause
// Reading a peer's memory with one copy, where the system lets us.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/segment.h"

namespace ompi_lite::btl::shm {

// One per endpoint. Tries once whether the peer can be read; "no" is final.
class SingleCopy {
 public:
  explicit SingleCopy(const NodeRank& peer) : peer_(&peer) {}

  // Returns an Error of class unsupported_operation if the peer cannot be read at all; else `result` says how the copy went.
  Error read(std::uint64_t address, std::byte* to, std::size_t bytes, Error& result);

 private:
  enum class Access { untried, granted, refused };
  Error try_access();

  const NodeRank* peer_;
  Access access_ = Access::untried;
};

}  // namespace ompi_lite::btl::shm
