// SPDX-License-Identifier: BSD-3-Clause
// Giving and taking back context ids.
#include "ompi_lite/core/context_id.h"

namespace ompi_lite {
namespace {

constexpr unsigned kGiverShift = 40, kSlotShift = 17, kGenerationShift = 1;
constexpr std::uint64_t kSlotMask = (1u << (kGiverShift - kSlotShift)) - 1;

}  // namespace

ContextId ContextIds::take() {
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
