// SPDX-License-Identifier: BSD-3-Clause
// Where context ids come from.
#pragma once

#include <cstdint>
#include <vector>

#include "ompi_lite/core/communicator.h"

namespace ompi_lite {

// One per process. The process of rank 0 in a new communicator takes an id from its own store and tells the others in the
// same message round that creates the communicator; no search, no second round, no limit of a bit mask, and threads that
// create communicators from different parents at once cannot disturb each other. An id is reused after its giver freed the
// communicator, under a new generation, so a late message of the old one is never taken for one of the new.
//
//   63 = 0 | 62..40 world rank of the giver + 1 | 39..17 slot | 16..1 generation | 0 plane
//   63 = 1 | 62..1 a random number | 0 plane
//
// Ranks of different worlds may have the same number, so from its first meeting with another world on a process gives random
// ids, and never twice the same.
//
// Not thread safe: guarded by the process lock.
class ContextIds {
 public:
  explicit ContextIds(int world_rank) : world_rank_(world_rank) {}
  ContextId take();
  void give_back(ContextId id);  // ignores ids that another process gave, and random ones
  static ContextId take_random();
  void be_random() { random_ = true; }  // from now on

  static constexpr ContextId kWorld = 2, kSelf = 4;  // giver field 0: fixed ids

 private:
  struct Slot { std::uint16_t generation = 0; };
  int world_rank_;
  bool random_ = false;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace ompi_lite
