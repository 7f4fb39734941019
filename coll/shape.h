// SPDX-License-Identifier: BSD-3-Clause
// Where the blocks of a collective's buffer lie: one form for the uniform, the v- and the w-variants.
#pragma once

#include "coll/steps.h"

namespace ompi_lite::coll {

// One block per rank of a slot. A value; the spans belong to the caller of the collective.
class Blocks {
 public:
  Blocks() = default;
  // Blocks of `count` elements side by side, `stride` bytes apart.
  Blocks(Slot slot, Count count, Count stride) : slot_(slot), count_(count), stride_(stride) {}
  // Block i has counts[i] elements and begins displacements[i] * unit bytes into the slot; with `types_differ` it has its
  // own datatype, number i.
  Blocks(Slot slot, CountSpan counts, CountSpan displacements, Count unit, bool types_differ = false)
      : slot_(slot),
        listed_(true),
        types_differ_(types_differ),
        stride_(unit),
        counts_(counts),
        displacements_(displacements) {}

  bool uniform() const { return !listed_; }
  Part operator[](int i) const {
    if (!listed_) return Part{slot_, 0, stride_ * i, count_};
    return Part{slot_, types_differ_ ? i : 0, displacements_[i] * stride_, counts_[i]};
  }
  // The n blocks from `first` on as one part: uniform blocks only.
  Part run(int first, int n) const { return Part{slot_, 0, stride_ * first, count_ * n}; }

 private:
  Slot slot_ = Slot::receive;
  bool listed_ = false, types_differ_ = false;
  Count count_ = 0, stride_ = 0;
  CountSpan counts_, displacements_;
};

}  // namespace ompi_lite::coll
