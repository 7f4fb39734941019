// SPDX-License-Identifier: BSD-3-Clause
// Giving and taking back context ids.
#include "ompi_lite/core/context_id.h"

#include <sys/random.h>

#include "ompi_lite/base/clock.h"

namespace ompi_lite {
namespace {

constexpr ContextId kRandom = ContextId{1} << 63;
constexpr unsigned kGiverShift = 40, kSlotShift = 17, kGenerationShift = 1;
constexpr std::uint64_t kSlotMask = (1u << (kGiverShift - kSlotShift)) - 1;

}  // namespace

ContextId ContextIds::take_random() {
  ContextId id = 0;
  if (getrandom(&id, sizeof id, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof id))
    id = (static_cast<ContextId>(now_ns()) ^ reinterpret_cast<std::uintptr_t>(&id)) * 0x9e3779b97f4a7c15u;
  return (id | kRandom) & ~ContextId{1};
}

ContextId ContextIds::take() {
  if (random_) return take_random();
  std::uint32_t slot;
  if (free_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  return (static_cast<ContextId>(world_rank_) + 1) << kGiverShift | ContextId{slot} << kSlotShift |
         ContextId{slots_[slot].generation} << kGenerationShift;
}

void ContextIds::give_back(ContextId id) {
  if (id >> kGiverShift != static_cast<ContextId>(world_rank_) + 1) return;
  auto slot = static_cast<std::uint32_t>(id >> kSlotShift & kSlotMask);
  slots_[slot].generation++;
  free_.push_back(slot);
}

}  // namespace ompi_lite
