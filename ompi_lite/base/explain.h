// SPDX-License-Identifier: BSD-3-Clause
// Why a collective is done as it is: asked on floor 0, answered where collectives are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/machine.h"

namespace ompi_lite {

struct ExplainedCall {
  std::string_view operation;  // as in the knob `coll`: allreduce
  int ranks = 2;
  bool one_node = true;  // all ranks on this one; else each on a node of its own
};

// What selection answers for one size, and what comes next after it.
struct ExplainedSize {
  std::int64_t bytes;                          // of the vector in broadcasts and reductions, else of the block of one rank
  std::string algorithm, second;               // with their parameters, as in the knob `coll`; no second: empty
  double predicted = 0, second_predicted = 0;  // seconds
  bool tried = false;  // the communicator tries shared cells and messages and keeps what proves faster
  bool forced = false;
};
struct Explanation {
  std::string name, place;  // MPI_Allreduce; "on one node, a core each"
  std::vector<ExplainedSize> sizes;
};

// For a series of sizes; an error if there is no such operation, or nobody to ask. After load_knobs. Defined in
// coll/explain.cc.
Result<Explanation> explain_selection(const ExplainedCall& call, const MachineNumbers& numbers);

// Whether run_timed_job() knows the operation.
bool can_time(std::string_view operation);
// As a process of a job: times the operation for these sizes; the first rank prints "bytes seconds" in lines. The exit
// status. Defined in ompi_lite/tools/timing.cc.
int run_timed_job(std::string_view operation, const std::vector<std::int64_t>& sizes);

}  // namespace ompi_lite
