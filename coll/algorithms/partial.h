// SPDX-License-Identifier: BSD-3-Clause
// The running result of a reduction at one rank, kept in rank order without copies.
#pragma once

#include <optional>

#include "coll/steps.h"

namespace ompi_lite::coll {

// Begins as the rank's own input, which is never written. Each operand is received into spare() and then absorbed: from
// the left if it covers lower ranks, from the right if higher ones. Lives on the algorithm's stack; at most two
// temporaries, taken when first needed. The first temporary may be given: the output buffer.
template <Steps S>
class Partial {
 public:
  Partial(S& steps, Part input) : steps_(steps), value_(input) {}
  Partial(S& steps, Part input, Part temporary) : steps_(steps), value_(input) {
    if (temporary != input) temporaries_[0] = temporary;
  }

  const Part& value() const { return value_; }

  Part spare() {
    for (auto& temporary : temporaries_) {
      if (!temporary) temporary = steps_.scratch(value_.count);
      if (*temporary != value_) return *temporary;
    }
    return *temporaries_[0];  // not reached: one of the two is free
  }

  // value = value op operand; the operand, which must be spare(), becomes the value and the old value is spare.
  void absorb_right(const Part& operand) {
    steps_.reduce(value_, operand);
    owned_ = true;
    value_ = operand;
  }
  // value = operand op value.
  void absorb_left(const Part& operand) {
    if (owned_) return steps_.reduce(operand, value_);
    const Part result = other_than(operand);
    steps_.reduce_copy(operand, value_, result);
    owned_ = true;
    value_ = result;
  }

  void copy_to(const Part& output) {
    if (value_ != output) steps_.copy(value_, output);
  }

 private:
  Part other_than(const Part& taken) {
    for (auto& temporary : temporaries_) {
      if (!temporary) temporary = steps_.scratch(value_.count);
      if (*temporary != taken) return *temporary;
    }
    return *temporaries_[0];
  }

  S& steps_;
  Part value_;
  bool owned_ = false;  // value_ is one of ours and may be written
  std::optional<Part> temporaries_[2];
};

}  // namespace ompi_lite::coll
