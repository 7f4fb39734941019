// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks of a communicator run: what reordering and splitting by hardware look at.
#pragma once

#include <span>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/reorder.h"

namespace ompi_lite::mpi {

// Which process plays which rank of a topology over the first `size` ranks of comm: core's reorder(), on the places of its
// ranks; empty if each plays its own. Collective over comm; `links` are the same on every rank, and every rank gets the same
// order.
Error find_order(Communicator& comm, int size, std::span<const Link> links, std::vector<int>& order);

}  // namespace ompi_lite::mpi
