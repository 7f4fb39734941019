// SPDX-License-Identifier: BSD-3-Clause
// Messages among the members of groups that have no communicator yet, on tags that no collective and no program can use.
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/communicator.h"

namespace ompi_lite::coll {

// Collectives number their messages from 0 up on the collective plane; MPI_ANY_TAG is -2: so these stay far below. Creations
// that run at the same time differ by the tag, or the string tag, that the program gives them.
inline constexpr int kCreateTag = -1024;
inline constexpr int kIntercommTag = -1025;
inline int hidden_tag_of(int tag) { return std::numeric_limits<int>::min() + (tag & 0x3fffffff); }
int hidden_tag_of(std::string_view stringtag);  // above those of int tags

// Partitioned communication (ompi_lite/mpi/partitioned.cc): offers, and the messages of one channel, above all of these.
inline constexpr int kOfferTag = -1026;
inline constexpr unsigned kMessagesPerChannel = 1u << 10, kChannels = 1u << 18;
inline int channel_tag(unsigned channel, unsigned message) {
  return -(1 << 29) + static_cast<int>(channel % kChannels * kMessagesPerChannel + message);
}

// Bytes between two ranks of `comm`. `exchange_bytes`: both directions at once.
Error send_bytes(Communicator& comm, int dest, int hidden_tag, const void* data, std::size_t bytes);
Error recv_bytes(Communicator& comm, int source, int hidden_tag, void* data, std::size_t bytes);
Error exchange_bytes(Communicator& comm, int peer, int hidden_tag, const void* out, std::size_t out_bytes, void* in,
                     std::size_t in_bytes);

// Member `root` of `group` gives `bytes` bytes to all its other members, which are ranks of the intracommunicator `comm`.
Error share_over_group(Communicator& comm, Group& group, int root, int hidden_tag, void* data, std::size_t bytes);

std::vector<PeerId> members_of(Group& group);

}  // namespace ompi_lite::coll
