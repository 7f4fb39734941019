// SPDX-License-Identifier: BSD-3-Clause
// The small collectives of one node: every rank puts what it has into its slot, then each reads what it needs.
//
//   slots      0: a   1: b   2: c   3: d        one write and at most p reads a rank, no dependent rounds: what counts when
//   rank 2  <- a, b, c, d in rank order         ranks share cores is how often they must change
#pragma once

#include "coll/node/region.h"
#include "coll/shape.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/op.h"

namespace ompi_lite::coll::node {

Error barrier(Region& region);
Error bcast(Region& region, const Buffer& data, int root);

// `send` and `receive` are as in the calls; in place is resolved by the caller: `send` is then the rank's block of
// `receive`.
Error gather(Region& region, const Buffer& send, const Buffer& receive, int root, bool in_place);
Error scatter(Region& region, const Buffer& send, const Buffer& receive, int root, bool in_place);
Error allgather(Region& region, const Buffer& send, const Buffer& receive, bool in_place);
Error alltoall(Region& region, const Buffer& send, const Buffer& receive);

// Vectors of `count` elements of a type without gaps. `input` may be `output`.
struct Vector {
  const std::byte* input;
  std::byte* output;
  Count count;
  Datatype& type;
  Op& op;
  Count bytes() const { return count * type.size(); }
};
Error reduce(Region& region, const Vector& vector, int root);
Error allreduce(Region& region, const Vector& vector);
Error reduce_scatter_block(Region& region, const Vector& vector);  // count: of the whole
Error scan(Region& region, const Vector& vector);
Error exscan(Region& region, const Vector& vector);

}  // namespace ompi_lite::coll::node
