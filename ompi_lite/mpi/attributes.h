// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, section 7.7: attributes of communicators. Those of datatypes stand in types.h.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/attribute.h"
#include "ompi_lite/core/communicator.h"

namespace ompi_lite::mpi {

Error comm_create_keyval(Callback copy, Callback remove, int& keyval, void* extra_state);
Error comm_free_keyval(int& keyval);
Error comm_set_attr(Communicator& comm, int keyval, void* value);
Error comm_get_attr(Communicator& comm, int keyval, void* value, bool& flag);  // value: where to store a void*
Error comm_delete_attr(Communicator& comm, int keyval);

// MPI-1 names that the ABI keeps.
Error keyval_create(Callback copy, Callback remove, int& keyval, void* extra_state);
Error keyval_free(int& keyval);
Error attr_put(Communicator& comm, int keyval, void* value);
Error attr_get(Communicator& comm, int keyval, void* value, bool& flag);
Error attr_delete(Communicator& comm, int keyval);

}  // namespace ompi_lite::mpi
