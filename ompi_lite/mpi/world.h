// SPDX-License-Identifier: BSD-3-Clause
// For the few functions that take no object by which to find the process.
#pragma once

#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/handle.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite::mpi {

inline Communicator& world() {
  return *static_cast<Communicator*>(predefined_objects[reinterpret_cast<std::uintptr_t>(MPI_COMM_WORLD)]);
}

}  // namespace ompi_lite::mpi
