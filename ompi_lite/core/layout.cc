// SPDX-License-Identifier: BSD-3-Clause
// Puts layouts together: merges neighbours, finds regular strides, shares long bodies.
#include "ompi_lite/core/layout.h"

#include <algorithm>
#include <utility>

namespace ompi_lite {
namespace {

// Bodies of up to this many items are written out where they are used once; longer ones are referred to.
constexpr std::size_t kWriteOutItems = 32;
constexpr std::size_t kFewBlocks = 16;

bool is_block(const LayoutItem& item) { return item.count == 1 && item.body == nullptr; }

// True if `next` lies where the loop `item` would put its next copy.
bool continues(const LayoutItem& item, const LayoutItem& next) {
  Count span, expected;
  return !__builtin_mul_overflow(item.count, item.stride, &span) && !__builtin_add_overflow(item.offset, span, &expected) &&
         expected == next.offset;
}

// Makes one item of two that follow each other in packed order, if that describes the same bytes.
bool join(LayoutItem& item, const LayoutItem& next) {
  Count end;
  if (is_block(item) && is_block(next) && !__builtin_add_overflow(item.offset, item.bytes, &end) && end == next.offset) {
    item.bytes += next.bytes;
    return true;
  }
  if (item.bytes != next.bytes || item.body != next.body) return false;
  Count stride;
  if (item.count == 1) {
    if (__builtin_sub_overflow(next.offset, item.offset, &stride) || stride == 0) return false;
    if (next.count > 1 && next.stride != stride) return false;
    item.stride = stride;
  } else if ((next.count > 1 && next.stride != item.stride) || !continues(item, next)) {
    return false;
  }
  item.count += next.count;
  return true;
}

// A block is joined with its neighbour at once; loops are made only of items that are settled, i.e. will not grow any more.
bool join_blocks(LayoutItem& item, const LayoutItem& next) { return is_block(item) && is_block(next) && join(item, next); }

// From the first byte to behind the last one of a few blocks; 0 for anything else.
Count span_of(const std::vector<LayoutItem>& items) {
  if (items.empty() || items.size() > kFewBlocks) return 0;
  Count low = items[0].offset, high = low;
  for (const LayoutItem& item : items) {
    if (!is_block(item)) return 0;
    low = std::min(low, item.offset);
    high = std::max(high, item.offset + item.bytes);
  }
  return high - low;
}

// `count` copies of an item, `stride` bytes apart, as one item if that is possible.
bool repeat(const LayoutItem& item, Count count, Count stride, LayoutItem& result) {
  result = item;
  if (count == 1) return true;
  if (item.count == 1) {
    result.count = count;
    result.stride = stride;
    if (item.body == nullptr && stride == item.bytes) {
      result.count = 1;
      result.stride = 0;
      result.bytes = count * item.bytes;
    }
    return true;
  }
  Count span;
  if (__builtin_mul_overflow(item.count, item.stride, &span) || span != stride) return false;
  result.count = count * item.count;
  return true;
}

}  // namespace

LayoutBuilder::LayoutBuilder() : layout_(std::make_shared<Layout>()) {}

void LayoutBuilder::settle() {
  auto& items = layout_->items_;
  if (items.size() < 2 || !join(items[items.size() - 2], items.back())) return;
  items.pop_back();
}

void LayoutBuilder::append(const LayoutItem& item) {
  auto& items = layout_->items_;
  if (!items.empty() && join_blocks(items.back(), item)) return;
  settle();
  items.push_back(item);
}

void LayoutBuilder::add_block(Count offset, Count bytes) {
  if (bytes > 0) append({.offset = offset, .count = 1, .bytes = bytes});
}

void LayoutBuilder::add(const std::shared_ptr<const Layout>& body, Count offset, Count count, Count stride) {
  if (count == 0 || body->size() == 0) return;
  const auto& items = body->items_;
  LayoutItem one;
  if (items.size() == 1 && repeat(items[0], count, stride, one)) {
    one.offset += offset;
    if (one.body != nullptr) keep(body);
    append(one);
    return;
  }
  if (count == 1 && items.size() <= kWriteOutItems) {
    bool refers = false;
    for (LayoutItem item : items) {
      item.offset += offset;
      refers = refers || item.body != nullptr;
      append(item);
    }
    if (refers) keep(body);
    return;
  }
  keep(body);
  append({.offset = offset, .count = count, .stride = count == 1 ? 0 : stride, .bytes = body->size(), .body = body.get()});
}

void LayoutBuilder::keep(const std::shared_ptr<const Layout>& body) {
  auto& bodies = layout_->bodies_;
  if (bodies.empty() || bodies.back() != body) bodies.push_back(body);
}

std::shared_ptr<const Layout> LayoutBuilder::finish() {
  settle();
  auto& items = layout_->items_;
  if (items.size() == 1 && items[0].count == 1 && items[0].offset == 0) {
    for (const auto& body : layout_->bodies_) {
      if (body.get() == items[0].body) return body;
    }
  }
  Count before = 0;
  for (LayoutItem& item : items) {
    item.before = before;
    before += item.data_bytes();
  }
  layout_->size_ = before;
  layout_->span_ = span_of(items);
  items.shrink_to_fit();
  return std::exchange(layout_, nullptr);
}

LayoutItem loop_over(const Layout& layout, Count count, Count extent) {
  const auto items = layout.items();
  if (items.empty() || count == 0) return {};
  LayoutItem result;
  if (items.size() == 1 && repeat(items[0], count, extent, result)) return result;
  return {.offset = 0, .count = count, .stride = count == 1 ? 0 : extent, .bytes = layout.size(), .body = &layout};
}

}  // namespace ompi_lite
