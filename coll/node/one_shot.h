// SPDX-License-Identifier: BSD-3-Clause
// The small collectives of one node: every rank puts what it has into its slot, then each reads what it needs.
//
//   slots      0: a   1: b   2: c   3: d        one write and at most p reads a rank, no dependent rounds: what counts when
//   rank 2  <- a, b, c, d in rank order         ranks share cores is how often they must change
#pragma once

#include "coll/algorithm.h"
#include "coll/node/region.h"
#include "coll/shape.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/op.h"

namespace ompi_lite::coll::node {

// One call of any of them, or of the larger ones (walk.h). What a buffer means is as in the call; reductions have the whole
// vector in both, `send` is the input also where it lies in the output. A value; the buffers, the counts, the op and the
// types are the caller's.
struct Call {
  Operation operation;
  Buffer send, receive;
  int root = 0;
  bool in_place = false;
  Op* op = nullptr;
  // Where the blocks are uneven: those of allgatherv's receive buffer; of reduce_scatter the counts alone.
  CountSpan counts = {}, displacements = {};
};

// The block of rank `rank` in a buffer of the call, which describes each of them or gives where they lie.
inline Buffer block_of(const Call& call, const Buffer& buffer, int rank) {
  const Count extent = buffer.type->extent();
  if (!call.counts) return Buffer(buffer.data + rank * buffer.count * extent, buffer.count, buffer.type);
  return Buffer(buffer.data + call.displacements[rank] * extent, call.counts[rank], buffer.type);
}

// The whole call: shows what this rank has, waits, takes what it needs. `operation`: that of the call.
template <Operation operation>
Error run(Region& region, const Call& call);

// The call in its parts, for those who do not wait in between. show() begins the region's next collective; when the ranks of
// awaited() have shown theirs, take() reads number `number`.
struct RankRun {
  int first = 0, end = 0;
};
Error show(Region& region, const Call& call);
RankRun awaited(const Region& region, const Call& call);
Error take(const Region& region, std::uint64_t number, const Call& call);

}  // namespace ompi_lite::coll::node
