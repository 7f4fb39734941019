// SPDX-License-Identifier: BSD-3-Clause
// Type maps without their basic types: which bytes, in which order, written as blocks and loops.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "ompi_lite/base/count_span.h"

namespace ompi_lite {

class Layout;

// A run of bytes in memory.
struct Piece {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

// `count` copies, `stride` bytes apart, of a block of `bytes` bytes or, if there is a body, of the body (which then has
// `bytes` bytes of data). The first copy lies at `offset`.
struct LayoutItem {
  Count offset = 0;
  Count count = 0;
  Count stride = 0;
  Count bytes = 0;               // of data in one copy
  const Layout* body = nullptr;  // owned by the Layout that holds the item, or by a Datatype
  Count before = 0;              // bytes of data in the items before this one

  Count data_bytes() const { return count * bytes; }
};

// An immutable list of items in packed order, shared by the types that need it. Adjacent blocks are merged when it is built;
// bodies that are used often or are long are shared, never copied, so that 10^9 blocks stay one loop.
class Layout {
 public:
  Count size() const { return size_; }
  std::span<const LayoutItem> items() const { return items_; }
  // True for a few blocks that neither repeat nor overlap with those of a copy `stride` bytes away: the members of a struct.
  // Copies of such a layout may be moved member by member.
  bool few_blocks(Count stride) const { return span_ > 0 && (stride >= span_ || stride <= -span_); }
  bool one_block() const {
    return items_.empty() || (items_.size() == 1 && items_[0].count == 1 && items_[0].body == nullptr);
  }

 private:
  friend class LayoutBuilder;
  std::vector<LayoutItem> items_;
  std::vector<std::shared_ptr<const Layout>> bodies_;
  Count size_ = 0;
  Count span_ = 0;  // from the first byte to behind the last one if all items are blocks and few, else 0
};

// Puts a layout together piece by piece, in packed order.
class LayoutBuilder {
 public:
  LayoutBuilder();
  void add_block(Count offset, Count bytes);
  // `count` copies of `body`, `stride` bytes apart, the first at `offset`.
  void add(const std::shared_ptr<const Layout>& body, Count offset, Count count, Count stride);
  std::shared_ptr<const Layout> finish();

 private:
  void append(const LayoutItem& item);
  void settle();
  void keep(const std::shared_ptr<const Layout>& body);
  std::shared_ptr<Layout> layout_;
};

// The loop of `count` elements of a type as one item, as flat as it can be.
LayoutItem loop_over(const Layout& layout, Count count, Count extent);

}  // namespace ompi_lite
