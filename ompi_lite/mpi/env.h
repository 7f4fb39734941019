// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, chapter 9: memory and names of the environment. What needs no object stands in abi/special.cc.
#pragma once

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/core/info.h"

namespace ompi_lite::mpi {

Error alloc_mem(Count size, Info* info, void* baseptr);  // baseptr: where to store a void*; honours mpi_minimum_memory_alignment
Error free_mem(void* base);
// Keys hwloc://NAME, one for each kind of thing that the machine is made of; "true" if this process is bound to a single one
// of them now, else "false" (section 9.1.2).
Error get_hw_resource_info(Info*& hw_info);
Error get_processor_name(char* name, int& length);  // name holds MPI_MAX_PROCESSOR_NAME bytes

}  // namespace ompi_lite::mpi
