// SPDX-License-Identifier: BSD-3-Clause
// The three predefined error handlers.
#include "ompi_lite/core/errhandler.h"

#include "ompi_lite/core/handle.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite {
namespace {

// Never destroyed: a communicator may refer to them until the process ends.
Errhandler& make(ErrhandlerKind kind, MPI_Errhandler handle) {
  return *new Errhandler(kind, reinterpret_cast<std::uintptr_t>(handle));
}

}  // namespace

void destroy(Errhandler* handler) {
  forget_int(*handler);
  delete handler;
}

Errhandler& errors_are_fatal() {
  static Errhandler& handler = make(ErrhandlerKind::are_fatal, MPI_ERRORS_ARE_FATAL);
  return handler;
}

Errhandler& errors_abort() {
  static Errhandler& handler = make(ErrhandlerKind::abort, MPI_ERRORS_ABORT);
  return handler;
}

Errhandler& errors_return() {
  static Errhandler& handler = make(ErrhandlerKind::returns, MPI_ERRORS_RETURN);
  return handler;
}

}  // namespace ompi_lite
