// SPDX-License-Identifier: BSD-3-Clause
// Stands before the port of the PMIx server and lets nobody in but clients of our job.
//
// PMIx 4 reads a new connection's first message on its one working thread and waits for it there, so each stranger that
// connects and stays silent stops the whole server for seconds. This program therefore defines accept() itself (the dynamic
// linker prefers a program's own functions to the C library's): it hands a connection to PMIx only when that first message
// is there as a whole and names our job. All runs on PMIx's listening thread.
#pragma once

#include <string_view>

namespace ompi_lite::launcher {

// From now on only clients that name this job get through. The text must stay.
void admit_clients_of(std::string_view job);

}  // namespace ompi_lite::launcher
