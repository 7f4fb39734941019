// SPDX-License-Identifier: BSD-3-Clause
// The application's own reduction operations.
#include "ompi_lite/mpi/ops.h"

namespace ompi_lite::mpi {

Error op_create(Callback function, bool commutative, Op*& op) {
  op = new Op(function, OpForm::count_int, commutative);
  return {};
}

Error op_create_c(Callback function, bool commutative, Op*& op) {
  op = new Op(function, OpForm::count_large, commutative);
  return {};
}

Error op_free(Op*& op) {
  if (op->predefined) return make_error(ErrorClass::op, "%s is predefined and cannot be freed", op->name);
  release(op);
  op = nullptr;
  return {};
}

Error op_commutative(Op& op, bool& commutative) {
  commutative = op.commutative;
  return {};
}

}  // namespace ompi_lite::mpi
