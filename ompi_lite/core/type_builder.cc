// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of type maps: sizes and bounds in 128 bits, checked once per block.
#include "ompi_lite/core/type_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ompi_lite {
namespace {

bool fits(WideCount value) {
  return value >= std::numeric_limits<Count>::min() && value <= std::numeric_limits<Count>::max();
}

Error too_large() { return Error(ErrorClass::arg, "the type would reach beyond 2^63 bytes"); }

// Takes a bound into account. Marked bounds push all others aside.
void widen(WideCount& bound, bool& marked, bool any, WideCount candidate, bool candidate_marked, bool lower) {
  if (marked && !candidate_marked) return;
  if (!any || candidate_marked != marked) {
    bound = candidate;
    marked = candidate_marked;
  } else {
    bound = lower ? std::min(bound, candidate) : std::max(bound, candidate);
  }
}

}  // namespace

Error TypeBuilder::add(const Datatype& old_type, const TypeBlock& block) {
  const Bounds& old_bounds = old_type.bounds();
  const bool has_data = old_type.size() > 0;
  if (block.count == 0 || block.block_length == 0) return {};
  if (!has_data && !old_bounds.lb_marked && !old_bounds.ub_marked) return {};

  const WideCount extent = old_type.extent();
  const WideCount across = (WideCount{block.count} - 1) * block.stride;
  if (!fits(across)) return too_large();
  const WideCount along = (WideCount{block.block_length} - 1) * extent;
  if (!fits(along)) return too_large();
  const WideCount first = block.displacement + std::min<WideCount>(0, across) + std::min<WideCount>(0, along);
  const WideCount last = block.displacement + std::max<WideCount>(0, across) + std::max<WideCount>(0, along);

  widen(lb_, lb_marked_, any_, first + old_bounds.lb, old_bounds.lb_marked, true);
  widen(ub_, ub_marked_, any_, last + old_bounds.ub, old_bounds.ub_marked, false);
  any_ = true;
  if (!fits(lb_) || !fits(ub_) || !fits(ub_ - lb_)) return too_large();
  alignment_ = std::max(alignment_, old_bounds.alignment);
  if (!has_data) return {};

  const WideCount elements = WideCount{block.count} * block.block_length;
  if (!fits(elements) || !fits(size_ + elements * old_type.size())) return too_large();
  size_ += elements * old_type.size();
  bool never = false;
  widen(true_lb_, never, any_data_, first + old_bounds.true_lb, false, true);
  widen(true_ub_, never, any_data_, last + old_bounds.true_ub, false, false);
  any_data_ = true;
  if (!fits(true_lb_) || !fits(true_ub_) || !fits(true_ub_ - true_lb_)) return too_large();

  signature_.add(old_type.shared_signature(), static_cast<Count>(elements));
  if (block.count == 1) {
    layout_.add(old_type.shared_layout(), block.displacement, block.block_length, old_type.extent());
  } else if (block.block_length == 1) {
    layout_.add(old_type.shared_layout(), block.displacement, block.count, block.stride);
  } else {
    LayoutBuilder inner;
    inner.add(old_type.shared_layout(), 0, block.block_length, old_type.extent());
    layout_.add(inner.finish(), block.displacement, block.count, block.stride);
  }
  return {};
}

void TypeBuilder::round_up_extent() {
  if (ub_marked_ || !any_) return;
  const WideCount rest = (ub_ - lb_) % alignment_;
  if (rest != 0) ub_ += alignment_ - rest;
}

void TypeBuilder::mark_bounds(WideCount lb, WideCount ub) {
  lb_ = lb;
  ub_ = ub;
  lb_marked_ = ub_marked_ = any_ = true;
}

Error TypeBuilder::bounds(Bounds& result) const {
  if (!fits(lb_) || !fits(ub_) || !fits(ub_ - lb_)) return too_large();
  result.lb = static_cast<Count>(lb_);
  result.ub = static_cast<Count>(ub_);
  result.true_lb = static_cast<Count>(true_lb_);
  result.true_ub = static_cast<Count>(true_ub_);
  result.lb_marked = lb_marked_;
  result.ub_marked = ub_marked_;
  result.alignment = alignment_;
  return {};
}

Error TypeBuilder::finish(std::shared_ptr<const TypeRecipe> recipe, Datatype*& type) {
  Bounds result;
  if (Error error = bounds(result)) return error;
  type = new Datatype(layout_.finish(), signature_.finish(), result, std::move(recipe));
  return {};
}

}  // namespace ompi_lite
