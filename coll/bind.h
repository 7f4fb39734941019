// SPDX-License-Identifier: BSD-3-Clause
// From the buffers of a call to the slots and blocks of an algorithm.
#pragma once

#include "coll/coll.h"
#include "coll/direct.h"
#include "coll/shape.h"

namespace ompi_lite::coll {

inline Part bind_part(Direct& steps, Slot slot, const Buffer& buffer) {
  steps.bind(slot, buffer.data, *buffer.type);
  return Part{slot, 0, 0, buffer.count};
}

// A buffer with one block per rank, in each of the three ways in which calls describe it.
inline Blocks bind_blocks(Direct& steps, Slot slot, const Buffer& each) {
  steps.bind(slot, each.data, *each.type);
  return Blocks(slot, each.count, each.count * each.type->extent());
}
inline Blocks bind_blocks(Direct& steps, Slot slot, const BufferV& all) {
  steps.bind(slot, all.data, *all.type);
  return Blocks(slot, all.counts, all.displacements, all.type->extent());
}
inline Blocks bind_blocks(Direct& steps, Slot slot, const BufferW& all) {
  steps.bind(slot, all.data, all.types);
  return Blocks(slot, all.counts, all.displacements, 1, true);
}

}  // namespace ompi_lite::coll
