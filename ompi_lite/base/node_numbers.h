// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a node know alike about it.
#pragma once

#include "ompi_lite/base/machine.h"
#include "ompi_lite/base/os.h"
#include "ompi_lite/base/segment.h"

namespace ompi_lite {

// Behind the words of the pairs in the node's segment.
NumbersBoard& numbers_board(const Segment& segment);

// The processors of all ranks; how many they may use, cut by what their control groups grant, at least 1. The same for all
// ranks once all are attached: those that have left count too.
os::CpuMask all_processors(const Segment& segment);
int usable_processors(const Segment& segment);

}  // namespace ompi_lite
