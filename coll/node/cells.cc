// SPDX-License-Identifier: BSD-3-Clause
// The rings of a node's ranks: how large, and what comes next.
#include "coll/node/cells.h"

#include <unistd.h>

#include <algorithm>

namespace ompi_lite::coll::node {

namespace {

// The processor says 0 where it does not know, virtual machines do.
std::size_t second_cache_bytes() {
  static const long told = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return told > 0 ? static_cast<std::size_t>(told) : std::size_t{1} << 20;
}

}  // namespace

std::size_t Cells::ring_bytes(int ranks) {
  const std::size_t share = kMostBytes / static_cast<std::size_t>(ranks) / 4096 * 4096;
  return std::clamp(2 * second_cache_bytes() / 4096 * 4096, std::size_t{128} << 10, share);
}

std::size_t Cells::rounded(Count bytes) {
  constexpr std::size_t kPair = 128;  // lines that are fetched together
  return (static_cast<std::size_t>(bytes) + kPair - 1) / kPair * kPair;
}

std::size_t Cells::next(Region& region, Count bytes) {
  const std::size_t wanted = rounded(bytes);
  if (!fits(wanted)) {
    last_use_[part_] = region.number();
    part_ = (part_ + 1) % kParts;
    place_ = part_ * (ring_ / kParts);
    region.all_left(last_use_[part_]);
  }
  const std::size_t at = place_;
  place_ += wanted;
  return at;
}

bool Cells::may_next(Region& region, Count bytes) const {
  return fits(rounded(bytes)) || region.have_all_left(last_use_[(part_ + 1) % kParts]);
}

}  // namespace ompi_lite::coll::node
