// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, sections 9.6 and 11.2 to 11.4: begin, end, and thread levels.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/communicator.h"

namespace ompi_lite::runtime {

Error init(int* argc, char*** argv);
Error init_thread(int* argc, char*** argv, int required, int& provided);
Error initialized(bool& flag);
Error finalize();
Error finalized(bool& flag);
Error query_thread(int& provided);
Error is_thread_main(bool& flag);
Error abort(Communicator& comm, int errorcode);

// What sessions need of the life of the process: it is up from the first open_session or MPI_Init on. `threads`: calls may
// come from several threads at once.
Error open_session(bool threads);
void close_session();

}  // namespace ompi_lite::runtime
