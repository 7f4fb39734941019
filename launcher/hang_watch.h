// SPDX-License-Identifier: BSD-3-Clause
// Reads the flight records of the ranks and notices when the job does not get on.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/hang_report.h"
#include "launcher/io_forward.h"
#include "ompi_lite/base/segment.h"

namespace ompi_lite::launcher {

// A job hangs where no host has moved for the limit and some rank waits in MPI.
struct Standing {
  bool unmoved = false;  // for the limit
  bool waits = false;
  bool operator==(const Standing&) const = default;
};

// One for the ranks of a host, which go by their place on it; on the main thread. Winds the clock of the node, by which
// ranks know the time without asking the system.
class HangWatch {
 public:
  // `node_fd`: the node's memory, -1 if there is none; it stays open. `limit_seconds`: 0 for no watch.
  void begin(int node_fd, int ranks, double limit_seconds);

  // When it wants to be called next.
  Clock::time_point next() const { return next_; }
  // Winds the clock and looks whether anything has moved.
  void look(const std::vector<bool>& running);
  Standing standing() const { return standing_; }

  RankSight sight(int rank, bool running);

 private:
  struct Sign {
    std::uint64_t progress = 0;
    std::uint64_t moves = 0;
    bool operator==(const Sign&) const = default;
  };
  SegmentWatch* segment();

  int node_fd_ = -1;
  int ranks_ = 0;
  std::int64_t limit_ns_ = 0;
  std::optional<SegmentWatch> segment_;
  std::vector<os::Mapping> records_;
  Clock::time_point next_ = Clock::time_point::max();
  std::vector<Sign> signs_;    // of each rank at the last look
  std::vector<bool> awake_;    // ... whether it was awake in a call
  std::int64_t moved_ns_ = 0;  // when a sign changed last
  Standing standing_;
};

}  // namespace ompi_lite::launcher
