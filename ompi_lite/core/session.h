// SPDX-License-Identifier: BSD-3-Clause
// A session: MPI for one part of a program, without MPI_COMM_WORLD (MPI 5.0, section 11.3).
#pragma once

#include <memory>

#include "ompi_lite/core/errhandler.h"
#include "ompi_lite/core/info.h"
#include "ompi_lite/core/object.h"

namespace ompi_lite {

// Owned by the application. While one is open the process that serves the C interface stays up.
struct Session : Object {
  Ref<Errhandler> errhandler;
  Info hints;  // what MPI_Session_get_info tells
  std::shared_ptr<Attachment> pml_state;  // its groups hold it too

  explicit Session(Errhandler& handler) : Object(ObjectKind::session), errhandler(Ref<Errhandler>::share(&handler)) {}
};

void destroy(Session* session);

}  // namespace ompi_lite
