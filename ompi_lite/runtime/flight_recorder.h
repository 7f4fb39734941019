// SPDX-License-Identifier: BSD-3-Clause
// Where the last calls of this rank are kept: which memory, how many.
#pragma once

#include <cstdlib>
#include <memory>
#include <optional>

#include "ompi_lite/base/flight_recorder.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/base/segment.h"

namespace ompi_lite {

extern Knob<std::int64_t> recorded_calls;

// Owned by the Process, which keeps the segment longer.
class FlightRecord {
 public:
  // In the node's segment the launcher finds the record, and it outlives the rank. A rank without a segment, or with a full
  // one, keeps it for itself. Once open, further calls do nothing; nor do they where the knob says that nothing is recorded.
  void open(Segment* segment);
  flight::Recorder* recorder() { return recorder_ ? &*recorder_ : nullptr; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> own_;
  std::optional<flight::Recorder> recorder_;
};

}  // namespace ompi_lite
