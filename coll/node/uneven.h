// SPDX-License-Identifier: BSD-3-Clause
// Gather, scatter and all-to-all of a node with uneven blocks, whose sizes no rank knows but for its own ones.
//
//   slot of rank 1   | 40 | 9000 | 300000 | 40 bytes |     for each receiver a word: how long its block is, and where it
//   lies ring of rank 1   | 9000 bytes |                        what does not fit into the slot lies in the ring, if there
//   is one
//                      300000 bytes                        what does not fit there either goes as a message
//
// The sender decides, block by block, and the receiver reads what it decided: nothing has to be agreed.
#pragma once

#include "coll/direct.h"
#include "coll/node/region.h"
#include "coll/select.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/datatype.h"

namespace ompi_lite::coll::node {

// A block for each rank, in each of the ways in which calls describe them; or one block, of whatever rank is asked for. A
// value; what it points to is the caller's.
class BlockPerRank {
 public:
  explicit BlockPerRank(const Buffer& one) : data_(one.data), count_(one.count), type_(one.type) {}
  BlockPerRank(std::byte* data, CountSpan counts, CountSpan displacements, Datatype& type)
      : data_(data), counts_(counts), displacements_(displacements), type_(&type) {}
  BlockPerRank(std::byte* data, CountSpan counts, CountSpan displacements, DatatypeSpan types)
      : data_(data), counts_(counts), displacements_(displacements), types_(types) {}

  Buffer operator[](int rank) const {
    if (!counts_) return Buffer(data_, count_, type_);
    if (types_) return Buffer(at(displacements_[rank]), counts_[rank], &types_[rank]);
    return Buffer(at(displacements_[rank] * type_->extent()), counts_[rank], type_);
  }
  // The same for messages: the slot bound to it, and the block as a part of the slot.
  void bind(Direct& steps, Slot slot) const { types_ ? steps.bind(slot, data_, types_) : steps.bind(slot, data_, *type_); }
  Part part(Slot slot, int rank) const {
    if (!counts_) return {slot, 0, 0, count_};
    if (types_) return {slot, rank, displacements_[rank], counts_[rank]};
    return {slot, 0, displacements_[rank] * type_->extent(), counts_[rank]};
  }

 private:
  std::byte* at(Count offset) const {  // integers: MPI_BOTTOM is null
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(data_) + static_cast<std::uintptr_t>(offset));
  }
  std::byte* data_;
  CountSpan counts_, displacements_;
  Count count_ = 0;
  Datatype* type_ = nullptr;
  DatatypeSpan types_;
};

// What one rank does in such a call. A rank's block for itself is the caller's business.
struct UnevenCall {
  Operation operation;
  BlockPerRank send, receive;
  int root = 0;
  bool in_place = false;  // what is sent lies where something is received
};

// The whole call: blocks in slots and rings, then the others by messages. The region's next call has been declared.
Error exchange_uneven(Communicator& comm, Region& region, const UnevenCall& call);

}  // namespace ompi_lite::coll::node
