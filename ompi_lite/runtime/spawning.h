// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, sections 11.8 to 11.10: new processes, and how programs that were started apart find each other.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/info.h"
#include "ompi_lite/core/status.h"  // for the types of mpi.h

namespace ompi_lite::runtime {

// Collective. What comes before `root` counts there alone. `errcodes`: one for each process asked for, or null. Errors are
// of class spawn where the processes cannot be started; then none is left of them.
Error comm_spawn(const char* command, char** argv, int maxprocs, Info* info, int root, Communicator& comm,
                 Communicator*& intercomm, int* errcodes);
Error comm_spawn_multiple(int count, char** commands, char*** argvs, const int* maxprocs, const MPI_Info* infos, int root,
                          Communicator& comm, Communicator*& intercomm, int* errcodes);
// nullptr if the world was not spawned, or the intercommunicator is freed or disconnected.
Error comm_get_parent(Communicator*& parent);
// For MPI_Init: meets the parents, if there are any. Collective over the world.
Error meet_parents();

// `port_name` has MPI_MAX_PORT_NAME characters. Errors about ports are of class port.
Error open_port(Info* info, char* port_name);
Error close_port(const char* port_name);
// Collective; port_name counts at the root alone. Both return when they have met, however long that takes.
Error comm_accept(const char* port_name, Info* info, int root, Communicator& comm, Communicator*& newcomm);
Error comm_connect(const char* port_name, Info* info, int root, Communicator& comm, Communicator*& newcomm);
// fd: a connected stream socket whose other end is in the same call. It is left as it was: nothing unread is taken from it.
Error comm_join(int fd, Communicator*& intercomm);

// Names that all worlds of one mpirun see. Errors of class service: it is taken, or not ours; of class name: there is none.
Error publish_name(const char* service_name, Info* info, const char* port_name);
Error unpublish_name(const char* service_name, Info* info, const char* port_name);
Error lookup_name(const char* service_name, Info* info, char* port_name);

}  // namespace ompi_lite::runtime
