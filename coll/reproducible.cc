// SPDX-License-Identifier: BSD-3-Clause
// What the order of the work can show in: op and type.
#include "coll/reproducible.h"

namespace ompi_lite::coll {

constinit Knob<bool> reproducible(
    "reproducible", false, Unit::none,
    "Reductions whose result depends on the order of the work, such as sums of floating point "
    "numbers, take the operands in rank order with the same parentheses whatever the size, the "
    "algorithm and the place of the ranks. The same at all ranks; large reductions may be slower.");

namespace {

// The same bits, also of zeros with a sign and of what is not a number; nor may operands be exchanged.
bool order_shows(const Op& op, const Datatype& type) {
  const BasicType* basic = type.basic();
  if (op.op_kind == OpKind::user || basic == nullptr) return true;
  switch (basic->kind) {
    case BasicKind::floating:
    case BasicKind::complex:
      return true;
    case BasicKind::pair:
      return basic->representation != Representation::pair_int_int &&
             basic->representation != Representation::pair_long_int &&
             basic->representation != Representation::pair_short_int;
    default:
      return false;
  }
}

}  // namespace

void fix_order(Question& question, const Op& op, const Datatype& type) {
  if (!order_shows(op, type)) return;
  question.commutative = false;
  question.fixed_order = true;
  question.exact = true;  // all legal ways give the same bits
}

}  // namespace ompi_lite::coll
