// SPDX-License-Identifier: BSD-3-Clause
// Reductions whose last bits do not depend on how they are done.
#pragma once

#include "coll/algorithm.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/op.h"

namespace ompi_lite::coll {

// With it, every element of a reduction whose result depends on the order of the work is
//
//   reduce, allreduce, reduce_scatter(_block):   x0 op (x1 op (x2 op ... x[p-1]))        from the right, as the linear
//   scan, exscan:                                ((x0 op x1) op x2) op ... x[rank]       references do it; from the left
//
// in the order of the ranks, whatever the size, the algorithm, the place of the ranks and the form of the call: blocking,
// nonblocking, persistent. Must be the same at all ranks.
extern constinit Knob<bool> reproducible;

// The part of a reduction's Question that follows from op and type.
Question reduction_question(Operation operation, int ranks, Count bytes, const Op& op, const Datatype& type);

}  // namespace ompi_lite::coll
