// SPDX-License-Identifier: BSD-3-Clause
// Builds layout, signature and bounds of a derived type together.
#pragma once

#include <memory>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/layout.h"
#include "ompi_lite/core/signature.h"

namespace ompi_lite {

// Wide enough for products of two counts, so that what does not fit is seen before it is stored.
using WideCount = __int128;

// One block of a type map, and the grid of its copies.
struct TypeBlock {
  Count displacement = 0;  // bytes
  Count count = 1;         // of blocks
  Count stride = 0;        // bytes between blocks
  Count block_length = 1;  // elements of the old type, one extent apart
};

// Lives on the stack of one constructor. Blocks are added in the order of the type map.
class TypeBuilder {
 public:
  Error add(const Datatype& old_type, const TypeBlock& block);
  // The bounds as the blocks give them; empty types have none.
  Error bounds(Bounds& result) const;
  // Rounds the extent up to the alignment of the elements, unless the upper bound is marked.
  void round_up_extent();
  void mark_bounds(WideCount lb, WideCount ub);
  Error finish(std::shared_ptr<const TypeRecipe> recipe, Datatype*& type);

 private:
  LayoutBuilder layout_;
  SignatureBuilder signature_;
  WideCount size_ = 0;
  WideCount lb_ = 0, ub_ = 0, true_lb_ = 0, true_ub_ = 0;
  bool any_ = false, any_data_ = false;
  bool lb_marked_ = false, ub_marked_ = false;
  int alignment_ = 1;
};

}  // namespace ompi_lite
