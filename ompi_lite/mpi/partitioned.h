// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, section 4.2: partitioned point-to-point communication.
#pragma once

#include <span>

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/info.h"
#include "ompi_lite/core/request.h"

namespace ompi_lite::mpi {

// `count` elements in each partition. No hint in `info` is known. The data of both sides must be equally long.
Error psend_init(const void* buf, int partitions, Count count, Datatype& datatype, int dest, int tag, Communicator& comm,
                 Info* info, Request*& request);
Error precv_init(void* buf, int partitions, Count count, Datatype& datatype, int source, int tag, Communicator& comm,
                 Info* info, Request*& request);

// MPI_ERR_REQUEST: not a partitioned send, or not active. MPI_ERR_ARG: no such partition, or marked already. Of several
// partitions either all are marked or none. The range includes both ends.
Error pready(int partition, Request& request);
Error pready_range(int low, int high, Request& request);
Error pready_list(std::span<const int> partitions, Request& request);

// flag is true for an inactive request.
Error parrived(Request& request, int partition, bool& flag);

}  // namespace ompi_lite::mpi
