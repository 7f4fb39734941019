// SPDX-License-Identifier: BSD-3-Clause
// MPI 5.0, sections 7.4 to 7.6 and 7.8: communicators.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/request.h"

namespace ompi_lite::mpi {

Error comm_size(Communicator& comm, int& size);
Error comm_rank(Communicator& comm, int& rank);
Error comm_compare(Communicator& comm1, Communicator& comm2, int& result);
Error comm_group(Communicator& comm, Group*& group);
Error comm_test_inter(Communicator& comm, bool& flag);
Error comm_remote_size(Communicator& comm, int& size);
Error comm_remote_group(Communicator& comm, Group*& group);

// Collective over comm (comm_create_group: over group). A rank that gets no communicator gets nullptr.
Error comm_dup(Communicator& comm, Communicator*& newcomm);
Error comm_dup_with_info(Communicator& comm, Info* info, Communicator*& newcomm);
// The new communicator may be used when the request is complete.
Error comm_idup(Communicator& comm, Communicator*& newcomm, Request*& request);
Error comm_idup_with_info(Communicator& comm, Info* info, Communicator*& newcomm, Request*& request);
Error comm_create(Communicator& comm, Group& group, Communicator*& newcomm);
Error comm_create_group(Communicator& comm, Group& group, int tag, Communicator*& newcomm);
Error comm_split(Communicator& comm, int color, int key, Communicator*& newcomm);
Error comm_split_type(Communicator& comm, int split_type, int key, Info* info, Communicator*& newcomm);
Error comm_free(Communicator*& comm);
Error comm_disconnect(Communicator*& comm);

// Section 7.6. The peer communicator is significant at the two leaders only: elsewhere nullptr is fine.
Error intercomm_create(Communicator& local_comm, int local_leader, Communicator* peer_comm, int remote_leader, int tag,
                       Communicator*& newintercomm);
Error intercomm_merge(Communicator& intercomm, bool high, Communicator*& newintracomm);

Error comm_set_name(Communicator& comm, const char* name);
Error comm_get_name(Communicator& comm, char* name, int& length);
Error comm_set_info(Communicator& comm, Info* info);
Error comm_get_info(Communicator& comm, Info*& info);

}  // namespace ompi_lite::mpi
