// SPDX-License-Identifier: BSD-3-Clause
// Checks of the collectives on a communicator, below the C interface: each is called by all its ranks, in processes or
// threads.
#pragma once

#include <string>

#include "ompi_lite/core/communicator.h"

namespace ompi_lite::test {

// Every algorithm x plain, strided, shifted and mixed types x in place or not x counts from 0 to some thousand x roots.
// "" or the first thing that was wrong at this rank.
std::string check_reductions(Communicator& comm);
std::string check_movements(Communicator& comm);
// The v- and w-forms with uneven and empty blocks, and blocks that lie in any order.
std::string check_uneven(Communicator& comm);
// Floats of mixed size: the same bits at all ranks, and again in a second run.
std::string check_same_bits(Communicator& comm);
// Ranks that disagree on counts get MPI_ERR_TRUNCATE, and the communicator works afterwards.
std::string check_disagreement(Communicator& comm);
// Many successive collectives of changing kind, root and size.
std::string check_succession(Communicator& comm, int rounds);

}  // namespace ompi_lite::test
