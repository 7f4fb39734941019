// SPDX-License-Identifier: BSD-3-Clause
// What the flight records of a job say, in words: who is where, who waits for whom. Pure, no system calls.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ompi_lite/base/flight_reader.h"

namespace ompi_lite::launcher {

enum class RankStage { not_begun, starting, active, finalized, gone };

// What is known about one rank at one moment.
struct RankSight {
  RankStage stage = RankStage::not_begun;
  std::optional<flight::Seen> record;  // none: it keeps none, or not where we can see it
};

// Where a rank is: "in MPI_Allreduce #51 of MPI_COMM_WORLD (100 x MPI_DOUBLE, MPI_SUM) since 31 s". `now_ns` is of the
// monotonic clock, in which the records give their times.
std::string place_of(const RankSight& sight, std::int64_t now_ns);

// The same for the message about a rank that died: ", in MPI_Recv (...)" or ", after MPI_Barrier ..."; empty if nothing is
// known.
std::string last_call_text(const RankSight& sight);

// The lines of a report: ranks at the same place together, who is missing from a collective, and a cycle of ranks that wait
// for each other. At most about 60 lines whatever the size of the job.
std::vector<std::string> report_lines(const std::vector<RankSight>& ranks, std::int64_t now_ns);

// "0, 2-7" (at most a dozen runs, then how many more).
std::string rank_list(const std::vector<int>& ranks);

}  // namespace ompi_lite::launcher
