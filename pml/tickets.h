// SPDX-License-Identifier: BSD-3-Clause
// The names under which requests travel over a wire.
#pragma once

#include <cstdint>
#include <vector>

#include "ompi_lite/core/request.h"

namespace ompi_lite::pml {

// A frame that wants an answer carries a ticket, and the answer brings it back. A number that was never handed out, or whose
// request is done, finds nothing: what comes from a wire is never followed as an address. Owned by the Pml, under its lock.
class Tickets {
 public:
  // Never 0. Good until retire().
  std::uint64_t issue(Request& request) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.push_back({});
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    slots_[index].request = &request;
    return std::uint64_t{slots_[index].generation} << 32 | index;
  }

  void retire(std::uint64_t ticket) {
    Slot& slot = slots_[static_cast<std::uint32_t>(ticket)];
    slot.request = nullptr;
    if (++slot.generation == 0) slot.generation = 1;
    free_.push_back(static_cast<std::uint32_t>(ticket));
  }

  // Null: there is no such request.
  Request* find(std::uint64_t ticket) const {
    const auto index = static_cast<std::uint32_t>(ticket);
    if (index >= slots_.size() || slots_[index].generation != ticket >> 32) return nullptr;
    return slots_[index].request;
  }

 private:
  struct Slot {
    Request* request = nullptr;
    std::uint32_t generation = 1;
  };
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace ompi_lite::pml
