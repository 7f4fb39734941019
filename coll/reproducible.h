// SPDX-License-Identifier: BSD-3-Clause
// Reductions whose last bits do not depend on how they are done.
#pragma once

#include "coll/algorithm.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/op.h"
#include "ompi_lite/core/predefined_types.h"

namespace ompi_lite::coll {

// With it, every element of a reduction whose result depends on the order of the work is
//
//   reduce, allreduce, reduce_scatter(_block):   x0 op (x1 op (x2 op ... x[p-1]))        from the right, as the linear
//   scan, exscan:                                ((x0 op x1) op x2) op ... x[rank]       references do it; from the left
//
// in the order of the ranks, whatever the size, the algorithm, the place of the ranks and the form of the call: blocking,
// nonblocking, persistent. Must be the same at all ranks.
extern constinit Knob<bool> reproducible;

// The node's slots hold elements side by side.
inline bool plain(const Datatype& type) { return type.contiguous() && type.true_lb() == 0 && type.extent() == type.size(); }

// Whether another order of the work gives the same numbers. Two ranks know one order only.
inline bool exact(const Op& op, const Datatype& type, int ranks) {
  if (ranks == 2) return true;
  if (op.op_kind == OpKind::user) return false;
  if (op.op_kind != OpKind::sum && op.op_kind != OpKind::prod) return true;
  return type.basic() != nullptr && type.basic()->kind != BasicKind::floating && type.basic()->kind != BasicKind::complex;
}

// What it changes.
void fix_order(Question& question, const Op& op, const Datatype& type);

// The part of a reduction's Question that follows from op and type.
inline Question reduction_question(Operation operation, int ranks, Count bytes, const Op& op, const Datatype& type) {
  Question question{operation, ranks, bytes, op.commutative, plain(type), exact(op, type, ranks)};
  if (reproducible.value()) [[unlikely]]
    fix_order(question, op, type);
  return question;
}

}  // namespace ompi_lite::coll
