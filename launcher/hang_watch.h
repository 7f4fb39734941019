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

// One per job, on the main thread. Winds the clock of the node, by which ranks know the time without asking the system.
class HangWatch {
 public:
  // `node_fd`: the node's memory, -1 if there is none; it stays open. `limit_seconds`: 0 for no watch.
  void begin(int node_fd, int ranks, double limit_seconds);

  // When it wants to be called next.
  Clock::time_point next() const { return next_; }
  // Winds the clock and looks whether anything has moved. True once when nothing has for the limit and a rank waits in MPI.
  bool look(const std::vector<bool>& running);

  RankSight sight(int rank, bool running);
  // The report of this moment, its lines indented under `title`.
  std::string report(const std::string& title, const std::vector<bool>& running);

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
  bool reported_ = false;      // this hang is known
};

}  // namespace ompi_lite::launcher
