// SPDX-License-Identifier: BSD-3-Clause
// Opening the flight record.
#include "ompi_lite/runtime/flight_recorder.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite {

constinit Knob<std::int64_t> recorded_calls(
    "recorded_calls", 32, Unit::none,
    "How many of its last MPI calls a rank keeps for reports of hangs and deaths, rounded up to a power of two. "
    "0: none are recorded.");

namespace {

constexpr std::int64_t kMost = 1 << 16;
constinit const std::atomic<std::int64_t> no_clock{0};

}  // namespace

void FlightRecord::open(Segment* segment) {
  if (recorder_ || recorded_calls.value() <= 0) return;
  const auto calls = static_cast<int>(std::bit_ceil(static_cast<std::uint32_t>(std::min(recorded_calls.value(), kMost))));
  const std::uint64_t bytes = flight::Record::bytes(calls);
  if (segment != nullptr) {
    if (Result<std::uint64_t> offset = segment->take(bytes)) {
      segment->clock_ns().store(now_ns(), std::memory_order_relaxed);  // a time, it orders nothing; the launcher goes on
      recorder_.emplace(segment->at(*offset), calls, &segment->clock_ns());
      segment->self().flight.store(*offset, std::memory_order_release);  // partner: the launcher's load
      return;
    } else {
      OL_LOG(warn, "no room for a flight record that the launcher can read: %s", offset.error().sentence());
    }
  }
  own_.reset(std::aligned_alloc(64, bytes));
  if (!own_) return;
  std::memset(own_.get(), 0, bytes);
  recorder_.emplace(own_.get(), calls, &no_clock);
}

}  // namespace ompi_lite
