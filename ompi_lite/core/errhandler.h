// SPDX-License-Identifier: BSD-3-Clause
// Error handlers.
#pragma once

#include "ompi_lite/core/object.h"

namespace ompi_lite {

enum class ErrhandlerKind : std::uint8_t { are_fatal, abort, returns, user };

struct Errhandler : Object {
  ErrhandlerKind handler_kind;
  ObjectKind object_kind = ObjectKind::none;  // user: communicator, window, file or session
  Callback callback;                          // user

  Errhandler(ErrhandlerKind kind_of_handler, std::uintptr_t predefined_handle)
      : Object(ObjectKind::errhandler, predefined_handle), handler_kind(kind_of_handler) {}
  Errhandler(ObjectKind of, Callback function) : Object(ObjectKind::errhandler), handler_kind(ErrhandlerKind::user), object_kind(of), callback(function) {}
};

void destroy(Errhandler* handler);
Errhandler& errors_are_fatal();
Errhandler& errors_abort();
Errhandler& errors_return();

}  // namespace ompi_lite
