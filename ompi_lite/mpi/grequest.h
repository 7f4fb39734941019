// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, section 13.2: requests whose operation the application performs.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/object.h"
#include "ompi_lite/core/request.h"

namespace ompi_lite::mpi {

Error grequest_start(Callback query_fn, Callback free_fn, Callback cancel_fn, void* extra_state, Request*& request);
Error grequest_complete(Request& request);

}  // namespace ompi_lite::mpi
