// SPDX-License-Identifier: BSD-3-Clause
// How long an algorithm takes, from its cost and the numbers of the machine.
#pragma once

#include "coll/algorithm.h"
#include "ompi_lite/base/machine.h"

namespace ompi_lite::coll {

// Seconds. Good enough to say where one algorithm takes over from another: it reckons what Cost says of the schedule, once
// for all, in place of playing the schedule for each size; the simulator (simulate.h) checks the costs in a test.
double predicted_time(const Question& question, const Cost& cost, const MachineNumbers& numbers = {});

}  // namespace ompi_lite::coll
