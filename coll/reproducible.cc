// SPDX-License-Identifier: BSD-3-Clause
// What the order of the work can show in: op and type.
#include "coll/reproducible.h"

#include "ompi_lite/core/predefined_types.h"

namespace ompi_lite::coll {

constinit Knob<bool> reproducible(
    "reproducible", false, Unit::none,
    "Reductions whose result depends on the order of the work, such as sums of floating point "
    "numbers, take the operands in rank order with the same parentheses whatever the size, the "
    "algorithm and the place of the ranks. The same at all ranks; large reductions may be slower.");

namespace {

// The node's slots hold elements side by side.
bool plain(const Datatype& type) { return type.contiguous() && type.true_lb() == 0 && type.extent() == type.size(); }

// Whether another order of the work gives the same numbers. Two ranks know one order only.
bool exact(const Op& op, const Datatype& type, int ranks) {
  if (ranks == 2) return true;
  if (op.op_kind == OpKind::user) return false;
  if (op.op_kind != OpKind::sum && op.op_kind != OpKind::prod) return true;
  return type.basic() != nullptr && type.basic()->kind != BasicKind::floating && type.basic()->kind != BasicKind::complex;
}

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

Question reduction_question(Operation operation, int ranks, Count bytes, const Op& op, const Datatype& type) {
  Question question{operation, ranks, bytes, op.commutative, plain(type), exact(op, type, ranks)};
  if (!reproducible.value() || !order_shows(op, type)) return question;
  question.commutative = false;
  question.fixed_order = true;
  question.exact = true;  // all legal ways give the same bits
  return question;
}

}  // namespace ompi_lite::coll
