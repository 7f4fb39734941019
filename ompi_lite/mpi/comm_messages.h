// SPDX-License-Identifier: BSD-3-Clause
// The messages behind the creation of communicators, on tags that no collective and no program can use.
#pragma once

#include <limits>

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

Error dup_intercommunicator(Communicator& comm, Communicator*& newcomm);

}  // namespace ompi_lite::mpi
