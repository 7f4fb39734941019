// SPDX-License-Identifier: BSD-3-Clause
// Looking at the ranks from outside.
#include "launcher/hang_watch.h"

#include <algorithm>

#include "ompi_lite/base/clock.h"

namespace ompi_lite::launcher {
namespace {

// The grain of the times in a report. Four wake-ups a second are less than what a second of a busy mpirun costs anyway.
constexpr std::chrono::milliseconds turn{250};
constexpr std::uint64_t kMostRecordBytes = 64 << 20;

}  // namespace

void HangWatch::begin(int node_fd, int ranks, double limit_seconds) {
  node_fd_ = node_fd;
  ranks_ = ranks;
  limit_ns_ = static_cast<std::int64_t>(limit_seconds * 1e9);
  records_.resize(static_cast<std::size_t>(ranks));
  signs_.resize(static_cast<std::size_t>(ranks));
  awake_.resize(static_cast<std::size_t>(ranks));
  moved_ns_ = now_ns();
  if (node_fd >= 0) next_ = Clock::now();
}

// The ranks size the memory when they come; until then there is nothing.
SegmentWatch* HangWatch::segment() {
  if (!segment_ && node_fd_ >= 0) segment_ = SegmentWatch::open(node_fd_, ranks_);
  return segment_ ? &*segment_ : nullptr;
}

RankSight HangWatch::sight(int rank, bool running) {
  RankSight sight;
  sight.stage = running ? RankStage::not_begun : RankStage::gone;
  SegmentWatch* node = segment();
  if (node == nullptr) return sight;
  const NodeRank& entry = node->rank(rank);
  const RankState state = entry.state.load(std::memory_order_acquire);        // partner: the stores in Segment
  const std::uint64_t offset = entry.flight.load(std::memory_order_acquire);  // partner: FlightRecord::open
  if (running) {
    if (state == RankState::left) sight.stage = RankStage::finalized;
    if (state == RankState::coming) sight.stage = RankStage::starting;
    if (state == RankState::here || state == RankState::leaving) sight.stage = RankStage::active;
  }
  if (offset == 0) return sight;
  os::Mapping& mapping = records_[static_cast<std::size_t>(rank)];
  if (!mapping) {
    const os::Mapping head = node->map(offset, sizeof(flight::Record));
    if (!head) return sight;
    const auto calls = reinterpret_cast<const flight::Record*>(head.data())->calls_per_lane.get();
    const std::uint64_t bytes = flight::Record::bytes(std::max(calls, 0));
    if (bytes <= kMostRecordBytes) mapping = node->map(offset, bytes);
  }
  sight.record = flight::read(mapping.data(), mapping.size());
  // It has come, but the communicators are made when all have.
  if (sight.stage == RankStage::active && sight.record && sight.record->communicators.empty())
    sight.stage = RankStage::starting;
  return sight;
}

void HangWatch::look(const std::vector<bool>& running) {
  next_ = Clock::now() + turn;
  const std::int64_t now = now_ns();
  SegmentWatch* node = segment();
  if (node == nullptr) return;
  node->wind_clock(now);
  if (limit_ns_ == 0) return;
  bool moved = false, someone_waits = false;
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    const RankSight seen = sight(rank, running[index]);
    Sign sign;
    bool waits = seen.stage == RankStage::starting;
    if (seen.record && seen.stage == RankStage::active) {
      sign = {seen.record->progress, seen.record->moves};
      for (const flight::SeenCall& call : seen.record->newest) waits = waits || call.phase != flight::Phase::outside;
    }
    // A rank that is awake inside of a call at two looks copies or reduces; at one it may have looked around in its sleep.
    const bool awake = waits && seen.record && seen.stage == RankStage::active && seen.record->idle_since_ns == 0 &&
                       std::none_of(seen.record->newest.begin(), seen.record->newest.end(),
                                    [](const flight::SeenCall& call) { return call.phase == flight::Phase::polling; });
    moved = moved || (awake && awake_[index]) || sign != signs_[index];
    awake_[index] = awake;
    signs_[index] = sign;
    someone_waits = someone_waits || waits;
  }
  if (moved) moved_ns_ = now;
  standing_ = {now - moved_ns_ >= limit_ns_, someone_waits};
}

}  // namespace ompi_lite::launcher
