// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, sections 7.4.2 and 7.6.2: communicators made from groups alone, without a parent.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/errhandler.h"
#include "ompi_lite/core/info.h"

namespace ompi_lite::runtime {

// Collective over the group. nullptr for MPI_GROUP_EMPTY.
Error comm_create_from_group(Group& group, const char* stringtag, Info* info, Errhandler& errhandler,
                             Communicator*& newcomm);

// Collective over both groups, which share no process; local where one of them is MPI_GROUP_EMPTY, and gives nullptr.
// remote_group and remote_leader count at the local leader; elsewhere remote_group may be null.
Error intercomm_create_from_groups(Group& local_group, int local_leader, Group* remote_group, int remote_leader,
                                   const char* stringtag, Info* info, Errhandler& errhandler, Communicator*& newintercomm);

}  // namespace ompi_lite::runtime
