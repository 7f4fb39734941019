// SPDX-License-Identifier: BSD-3-Clause
// Why a collective is done as it is: asked on floor 0, answered where collectives are.
#pragma once

#include <string>
#include <string_view>

#include "ompi_lite/base/error.h"

namespace ompi_lite {

struct ExplainedCall {
  std::string_view operation;  // as in the knob `coll`: allreduce
  int ranks = 2;
  bool one_node = true;  // all ranks on this one; else each on a node of its own
};

// A page with the algorithm and the predicted time for each size; an error if there is no such operation, or nobody to ask.
// After load_knobs. Defined in coll/explain.cc.
Result<std::string> explain_selection(const ExplainedCall& call);

}  // namespace ompi_lite
