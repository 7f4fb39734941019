// SPDX-License-Identifier: BSD-3-Clause
// Which process plays which rank of a virtual topology, so that ranks that talk much are near each other. Arithmetic only:
// no messages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ompi_lite/base/knob.h"

namespace ompi_lite {

// Messages between two ranks of a topology, in any unit.
struct Link {
  int a, b;
  std::int64_t weight;
};

// Where a process runs, from the outermost level (node) to the innermost (core): a number at each level, unique within the
// level above; -1 and all below it: it is not in a single one.
using Place = std::vector<int>;

// What a message between two places costs, relative to others: 0 within the innermost level, four times as much with each
// level further out that they do not share.
std::int64_t distance(const Place& a, const Place& b);

// Sum over the links of weight times distance, if rank r is played by process order[r].
std::int64_t total_distance(std::span<const Link> links, std::span<const Place> places, std::span<const int> order);

// Within a node little is gained, and programs that ask for reordering and then use their old rank are many: only on wish.
extern constinit Knob<bool> reorder_on_node;

// order[r]: the process that plays rank r. The identity unless another order costs less. Every process that asks with the
// same arguments gets the same answer. By recursive partition along the levels: parts grow from their heaviest links (greedy
// graph growing), then members of parts are swapped while that helps (Kernighan and Lin, "An efficient heuristic procedure
// for partitioning graphs", 1970).
std::vector<int> reorder(std::span<const Link> links, std::span<const Place> places);

}  // namespace ompi_lite
