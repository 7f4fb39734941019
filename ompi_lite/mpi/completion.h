// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, sections 3.7 and 3.9: starting, testing, awaiting, cancelling and freeing requests of every kind.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/request.h"

namespace ompi_lite::mpi {

Error start(Request*& request);
Error startall(RequestSpan requests);

// Null and inactive requests give an empty status at once (section 3.7.3).
Error wait(Request*& request, MPI_Status* status);
Error test(Request*& request, bool& flag, MPI_Status* status);
Error waitany(RequestSpan requests, int& index, MPI_Status* status);
Error testany(RequestSpan requests, int& index, bool& flag, MPI_Status* status);

// An error of one request makes the call MPI_ERR_IN_STATUS; then every status has its own in MPI_ERROR.
Error waitall(RequestSpan requests, MPI_Status* statuses);
Error testall(RequestSpan requests, bool& flag, MPI_Status* statuses);
Error waitsome(RequestSpan requests, int& outcount, int* indices, MPI_Status* statuses);
Error testsome(RequestSpan requests, int& outcount, int* indices, MPI_Status* statuses);

// The same questions without taking the completion.
Error request_get_status(Request* request, bool& flag, MPI_Status* status);
Error request_get_status_all(RequestSpan requests, bool& flag, MPI_Status* statuses);
Error request_get_status_any(RequestSpan requests, int& index, bool& flag, MPI_Status* status);
Error request_get_status_some(RequestSpan requests, int& outcount, int* indices, MPI_Status* statuses);

Error request_free(Request*& request);
Error cancel(Request*& request);

}  // namespace ompi_lite::mpi
