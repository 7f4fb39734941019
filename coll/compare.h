// SPDX-License-Identifier: BSD-3-Clause
// Do all ranks call the same? The signature of a call, and the sentence about two that differ.
#pragma once

#include "coll/select.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/core/call_signature.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/op.h"
#include "pml/collective_log.h"

namespace ompi_lite::coll {

extern constinit Knob<bool> check_collectives;

// Of a call in one group. `bytes` and `type`: of the data of which every rank must have as much as the others; 0 and null
// where each has its own. Root 0 where there is none. Not checked if the knob says so.
CallSignature sign(Operation operation, int root, Count bytes, const Datatype* type, const Op* op = nullptr);
inline CallSignature sign(Operation operation) { return sign(operation, 0, 0, nullptr); }

// "MPI_Bcast: rank 1 is in MPI_Allreduce (1000 x MPI_INT, MPI_SUM), where rank 0 is in MPI_Bcast (...)". The class says what
// differs: MPI_ERR_TRUNCATE for the data.
Error mismatch(const pml::OddCall& odd, int our_rank);

}  // namespace ompi_lite::coll
