// SPDX-License-Identifier: BSD-3-Clause
// What the creation of communicators shares.
#pragma once

#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/communicator.h"

namespace ompi_lite::mpi {

// MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
int compare_groups(Group& group1, Group& group2);

// What every rank tells the others when a communicator is split.
struct SplitEntry {
  int color, key;
  PeerId peer;
  std::int32_t zero;
  ContextId id;  // the id of the new communicator if this rank becomes its rank 0
};

// Those of one color in the order of the new communicator: by key, equal keys by rank in the old one.
std::vector<SplitEntry> entries_of_color(const std::vector<SplitEntry>& entries, int color);
std::vector<PeerId> peers_of(const std::vector<SplitEntry>& entries);

// The intercommunicator forms of MPI_Comm_create, MPI_Comm_split and MPI_Comm_dup. nullptr for a rank that gets none.
Error create_intercommunicator(Communicator& comm, Group& group, Communicator*& newcomm);
Error split_intercommunicator(Communicator& comm, int color, int key, Communicator*& newcomm);
Error dup_intercommunicator(Communicator& comm, Communicator*& newcomm);

}  // namespace ompi_lite::mpi
