// SPDX-License-Identifier: BSD-3-Clause
// What the larger collectives of one node go through (walk.h). Each rank owns a ring of memory that all see; data walk
// through it in pieces.
//
//   ring of rank 0   | piece 1 | piece 2 | piece 3 | piece 1 ...     a piece lies at the same place in all rings; the place
//   ring of rank 1   | piece 1 | piece 2 | piece 3 | piece 1 ...     moves on, so that a line is written again only when
//                                                                    it has left the caches of those who read it
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "coll/node/region.h"

namespace ompi_lite::coll::node {

// One rank's view of the rings; owned by the Region.
class Cells {
 public:
  // Bytes that the rings of so many ranks take: at most kMostBytes, so much of the node's memory for each communicator that
  // needs them.
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  static std::size_t bytes_for(int ranks) { return ring_bytes(ranks) * static_cast<std::size_t>(ranks); }

  Cells(std::byte* memory, int ranks) : memory_(memory), ring_(ring_bytes(ranks)) {}

  // What one piece may take at most.
  Count most() const { return static_cast<Count>(ring_ / kParts); }
  // The place of the next piece, `bytes` large, to be used by the region's next collective numbers. All ranks call it alike.
  // Returns when all ranks have left what was there before.
  std::size_t next(Region& region, Count bytes);
  bool may_next(Region& region, Count bytes) const;  // it would return at once
  std::byte* of(int rank, std::size_t place) const { return memory_ + static_cast<std::size_t>(rank) * ring_ + place; }

 private:
  static constexpr std::size_t kParts = 4;
  static std::size_t ring_bytes(int ranks);
  static std::size_t rounded(Count bytes);
  bool fits(std::size_t bytes) const { return place_ + bytes <= (part_ + 1) * (ring_ / kParts); }

  std::byte* memory_;
  std::size_t ring_, place_ = 0, part_ = 0;
  std::array<std::uint64_t, kParts> last_use_{};  // the number after which nobody reads what lies in the part
};

}  // namespace ompi_lite::coll::node
