// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, chapter 9: memory and names of the environment. What needs no object stands in abi/special.cc.
#pragma once

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/core/info.h"

namespace ompi_lite::mpi {

Error alloc_mem(Count size, Info* info, void* baseptr);  // baseptr: where to store a void*; honours mpi_minimum_memory_alignment
Error free_mem(void* base);
Error get_processor_name(char* name, int& length);  // name holds MPI_MAX_PROCESSOR_NAME bytes

}  // namespace ompi_lite::mpi
