// SPDX-License-Identifier: BSD-3-Clause
// Two groups that do not know each other yet, or not all of each other, are made known.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/process_name.h"
#include "ompi_lite/core/communicator.h"

namespace ompi_lite::coll {

using Bytes = std::vector<std::byte>;

// Gives the other side's leader our bytes and gets its own. Both leaders call it equally often.
using LeaderExchange = std::function<Error(const Bytes& ours, Bytes& theirs)>;

// One side's part; collective over `comm`. `leaders` is called at the root alone. `shared` is what both leaders know and
// nobody else does, as far as there is such a thing. `words` travels from the other root to all of our side. Gives the other
// group as peers of this process, in the order of their communicator. On return all of both sides know each other, so
// messages may flow. Where the root fails all fail, with its error class.
//
//   cards of our side -> root <== leaders ==> root -> the others' cards to our side; then: all here know | all there know
struct Introduction {
  Bytes words = {};
  std::vector<PeerId> peers = {};
};
Error get_acquainted(Communicator& comm, int root, const LeaderExchange& leaders, const Secret& shared, const Bytes& words,
                     Introduction& theirs);

// The root's error for all: collective over `comm`.
Error share_error(Communicator& comm, int root, Error error);

Error bcast_bytes(Communicator& comm, int root, Bytes& bytes);  // also their number

}  // namespace ompi_lite::coll
