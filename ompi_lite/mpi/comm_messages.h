// SPDX-License-Identifier: BSD-3-Clause
// The messages behind the creation of communicators, on tags that no collective and no program can use.
#pragma once

#include <limits>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/communicator.h"

namespace ompi_lite::mpi {

// Collectives number their messages from 0 up on the collective plane; MPI_ANY_TAG is -2: so these stay far below.
inline constexpr int kCreateTag = -1024;
inline constexpr int kIntercommTag = -1025;
inline int hidden_tag_of(int tag) { return std::numeric_limits<int>::min() + (tag & 0x3fffffff); }

// Rank 0 of `group` gives `bytes` bytes to all its other members, which are ranks of the intracommunicator `comm`.
Error share_over_group(Communicator& comm, Group& group, int hidden_tag, void* data, std::size_t bytes);

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
