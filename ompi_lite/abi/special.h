// SPDX-License-Identifier: BSD-3-Clause
// Functions that need no object and no communication: their meaning is here, their entry points are generated as all others.
#pragma once

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/core/info.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite::abi {

Error get_version(int& version, int& subversion);
Error get_library_version(char* version, int& length);
Error abi_get_version(int& major, int& minor);
Error abi_get_info(Info*& info);
Error abi_get_fortran_info(Info*& info);
Error abi_set_fortran_info(Info* info);
Error abi_get_fortran_booleans(int logical_size, void* logical_true, void* logical_false, bool& is_set);
Error abi_set_fortran_booleans(int logical_size, void* logical_true, void* logical_false);
Error get_address(const void* location, Count& address);

Error status_get_source(const MPI_Status* status, int& source);
Error status_get_tag(const MPI_Status* status, int& tag);
Error status_get_error(const MPI_Status* status, int& error);
Error status_set_source(MPI_Status* status, int source);
Error status_set_tag(MPI_Status* status, int tag);
Error status_set_error(MPI_Status* status, int error);
Error status_set_cancelled(MPI_Status* status, bool flag);
Error test_cancelled(const MPI_Status* status, bool& flag);

}  // namespace ompi_lite::abi
