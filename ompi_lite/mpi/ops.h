// SPDX-License-Identifier: BSD-3-Clause
// What the calls on reduction operations mean (MPI 5.0, section 6.9.5). MPI_Reduce_local is coll::reduce_local.
#pragma once

#include "ompi_lite/core/op.h"

namespace ompi_lite::mpi {

Error op_create(Callback function, bool commutative, Op*& op);    // MPI_User_function
Error op_create_c(Callback function, bool commutative, Op*& op);  // MPI_User_function_c
Error op_free(Op*& op);
Error op_commutative(Op& op, bool& commutative);

}  // namespace ompi_lite::mpi
