// SPDX-License-Identifier: BSD-3-Clause
// The running result of a reduction at one rank, kept in rank order without copies.
#pragma once

#include <array>
#include <optional>

#include "coll/algorithm.h"
#include "coll/steps.h"

namespace ompi_lite::coll {

// Begins as the rank's own input, which is never written. Each operand is received into spare() and then absorbed: from
// the left if it covers lower ranks, from the right if higher ones. Lives on the algorithm's stack; its temporaries are
// taken when first needed. The first temporary may be given: the output buffer.
template <Steps S>
class Partial {
 public:
  Partial(S& steps, Part input) : steps_(steps), value_(input) {}
  Partial(S& steps, Part input, Part temporary) : steps_(steps), value_(input) {
    if (temporary != input) temporaries_[0] = temporary;
  }

  const Part& value() const { return value_; }
  bool owned() const { return owned_; }

  // Temporary number n of those that are not the value: 0, or up to kMostRadix - 1 where several operands are to come.
  Part spare(int n = 0) {
    for (auto& temporary : temporaries_) {
      if (!temporary) temporary = steps_.scratch(value_.count);
      if (*temporary != value_ && n-- == 0) return *temporary;
    }
    return *temporaries_[0];  // not reached: one is free
  }

  // value = value op operand; the operand, which must be spare(), becomes the value and the old value is spare.
  void absorb_right(const Part& operand) {
    steps_.reduce(value_, operand);
    owned_ = true;
    value_ = operand;
  }
  // value = operand op value; `free` is a temporary that holds nothing.
  void absorb_left(const Part& operand, const Part& free) {
    if (owned_) return steps_.reduce(operand, value_);
    steps_.reduce_copy(operand, value_, free);
    owned_ = true;
    value_ = free;
  }
  void absorb_left(const Part& operand) { absorb_left(operand, owned_ ? operand : spare(operand == spare(0) ? 1 : 0)); }

  void copy_to(const Part& output) {
    if (value_ != output) steps_.copy(value_, output);
  }

 private:
  S& steps_;
  Part value_;
  bool owned_ = false;  // value_ is one of ours and may be written
  std::array<std::optional<Part>, kMostRadix> temporaries_;
};

// The members of a group of `radix` exchange their values, and each gets the product of all in the order of the group, in
// the same parentheses v0 op (v1 op (v2 op v3)). This rank is number `own`; member i is rank_of(i).
template <Steps S, class RankOf>
void exchange_all(S& steps, Partial<S>& sum, int own, int radix, RankOf&& rank_of) {
  const auto operand = [&](int i) { return i < own ? i : i - 1; };  // which spare is whose
  Part came[kMostRadix];
  for (int i = 0; i < radix; ++i) {
    if (i == own) continue;
    came[i] = sum.spare(operand(i));
    steps.sendrecv(sum.value(), rank_of(i), came[i], rank_of(i));
  }
  steps.end_round();
  if (own < radix - 1) {
    for (int i = radix - 2; i > own; --i) steps.reduce(came[i], came[radix - 1]);
    sum.absorb_right(came[radix - 1]);
  } else {
    const int last = radix - 2;
    sum.absorb_left(came[last], sum.owned() ? came[last] : sum.spare(radix - 1));
  }
  for (int i = (own < radix - 1 ? own : radix - 2) - 1; i >= 0; --i) sum.absorb_left(came[i]);
}

}  // namespace ompi_lite::coll
