// SPDX-License-Identifier: BSD-3-Clause
// What the application leaves behind at MPI_Finalize: operations that are not complete, objects that were not freed.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/knob.h"

namespace ompi_lite::runtime {

extern Knob<bool> report_leaks;

// Looks at all objects that the application holds handles of, when nothing can come any more. Says in warnings, if the knob
// wants it, which there are. An Error of class MPI_ERR_PENDING if an operation of this process is not complete (MPI 5.0,
// section 11.2.2); `lost`: one that others may miss, a send or a collective.
Error look_for_leftovers(bool& lost);

}  // namespace ompi_lite::runtime
