// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, section 11.3: sessions and process sets.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/group.h"
#include "ompi_lite/core/session.h"

namespace ompi_lite::runtime {

Error session_init(Info* info, Errhandler& errhandler, Session*& session);
Error session_finalize(Session*& session);
Error session_get_info(Session& session, Info*& info);
Error session_set_errhandler(Session& session, Errhandler& errhandler);
Error session_get_errhandler(Session& session, Errhandler*& errhandler);

// The process sets are mpi://WORLD and mpi://SELF.
Error session_get_num_psets(Session& session, Info* info, int& count);
Error session_get_nth_pset(Session& session, Info* info, int n, int& length, char* name);  // length in and out counts the 0
Error session_get_pset_info(Session& session, const char* name, Info*& info);
Error group_from_session_pset(Session& session, const char* name, Group*& newgroup);

// An error handler made for another kind of object is refused.
[[nodiscard]] Error check_errhandler(const Errhandler& errhandler, ObjectKind kind);

}  // namespace ompi_lite::runtime
