// SPDX-License-Identifier: BSD-3-Clause
// Walks layouts: finds the place of a byte by division and search, then copies whole blocks in loops of fixed block size.
#include "ompi_lite/core/pack.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "ompi_lite/base/copy.h"

namespace ompi_lite {
namespace {

enum class Direction { pack, unpack };

// Copies between one block of the buffer and the packed bytes; gives the packed bytes behind it.
template <Direction direction>
inline std::byte* move_block(std::byte* block, std::size_t bytes, std::byte* packed) {
  if constexpr (direction == Direction::pack) {
    copy_bytes(packed, block, bytes);
  } else {
    copy_bytes(block, packed, bytes);
  }
  return packed + bytes;
}

// `count` blocks, `stride` bytes apart in the buffer and `packed_stride` in the packed bytes.
struct BlockLoop {
  std::byte* block;
  Count stride;
  std::byte* packed;
  Count packed_stride;
  Count count;
};

template <Direction direction, std::size_t bytes>
void move_fixed_blocks(BlockLoop loop) {
  for (Count i = 0; i < loop.count; ++i) {
    if constexpr (direction == Direction::pack) {
      std::memcpy(loop.packed, loop.block, bytes);
    } else {
      std::memcpy(loop.block, loop.packed, bytes);
    }
    loop.block += loop.stride;
    loop.packed += loop.packed_stride;
  }
}

// A loop for each size of small blocks, in which the compiler knows the size.
constexpr std::size_t kFixedBytes = 64;
using MoveFixedBlocks = void (*)(BlockLoop);
template <Direction direction, std::size_t... bytes>
constexpr std::array<MoveFixedBlocks, sizeof...(bytes)> fixed_loops(std::index_sequence<bytes...>) {
  return {move_fixed_blocks<direction, bytes>...};
}
template <Direction direction>
constexpr auto kFixedLoops = fixed_loops<direction>(std::make_index_sequence<kFixedBytes + 1>());

template <Direction direction>
void move_blocks(BlockLoop loop, std::size_t bytes) {
  if (bytes <= kFixedBytes) return kFixedLoops<direction>[bytes](loop);
  for (Count i = 0; i < loop.count; ++i) {
    move_block<direction>(loop.block, bytes, loop.packed);
    loop.block += loop.stride;
    loop.packed += loop.packed_stride;
  }
}

// A block of a struct, most often a few bytes: the sizes that basic types have do not cost a call.
template <Direction direction>
inline std::byte* move_member(std::byte* block, Count bytes, std::byte* packed) {
  const BlockLoop once{block, 0, packed, 0, 1};
  switch (bytes) {
    case 1:
      move_fixed_blocks<direction, 1>(once);
      break;
    case 2:
      move_fixed_blocks<direction, 2>(once);
      break;
    case 4:
      move_fixed_blocks<direction, 4>(once);
      break;
    case 8:
      move_fixed_blocks<direction, 8>(once);
      break;
    case 12:
      move_fixed_blocks<direction, 12>(once);
      break;
    case 16:
      move_fixed_blocks<direction, 16>(once);
      break;
    default:
      return move_block<direction>(block, static_cast<std::size_t>(bytes), packed);
  }
  return packed + bytes;
}

template <Direction direction>
std::byte* move_whole(std::span<const LayoutItem> items, std::byte* base, std::byte* packed);

// `count` whole copies of an item's block or body, the first of them at `at`.
template <Direction direction>
std::byte* move_copies(const LayoutItem& item, std::byte* at, Count count, std::byte* packed) {
  if (item.body == nullptr) {
    move_blocks<direction>({at, item.stride, packed, item.bytes, count}, static_cast<std::size_t>(item.bytes));
    return packed + count * item.bytes;
  }
  if (!item.body->few_blocks(item.stride)) {
    for (Count i = 0; i < count; ++i, at += item.stride) packed = move_whole<direction>(item.body->items(), at, packed);
    return packed;
  }
  // Structs: some of them at a time, so that they stay in the first cache, and then member by member.
  constexpr Count kAtATime = 64;
  while (count > 0) {
    const Count some = std::min(count, kAtATime);
    for (const LayoutItem& member : item.body->items()) {
      move_blocks<direction>({at + member.offset, item.stride, packed + member.before, item.bytes, some},
                             static_cast<std::size_t>(member.bytes));
    }
    at += some * item.stride;
    packed += some * item.bytes;
    count -= some;
  }
  return packed;
}

// All bytes of one copy of a layout that lies at `base`.
template <Direction direction>
std::byte* move_whole(std::span<const LayoutItem> items, std::byte* base, std::byte* packed) {
  for (const LayoutItem& item : items) {
    std::byte* at = base + item.offset;
    if (item.body == nullptr && item.count == 1) {
      packed = move_member<direction>(at, item.bytes, packed);
    } else {
      packed = move_copies<direction>(item, at, item.count, packed);
    }
  }
  return packed;
}

// The item that holds a byte of data.
const LayoutItem* item_at(std::span<const LayoutItem> items, Count position) {
  const auto behind = std::upper_bound(items.begin(), items.end(), position,
                                       [](Count wanted, const LayoutItem& item) { return wanted < item.before; });
  return &*(behind - 1);
}

template <Direction direction>
std::byte* move_part(const LayoutItem& item, std::byte* base, Count from, Count length, std::byte* packed);

// `length` bytes of data of a layout, from byte `from` of it.
template <Direction direction>
std::byte* move_part(std::span<const LayoutItem> items, std::byte* base, Count from, Count length, std::byte* packed) {
  const LayoutItem* item = item_at(items, from);
  from -= item->before;
  while (length > 0) {
    const Count part = std::min(length, item->data_bytes() - from);
    packed = move_part<direction>(*item, base, from, part, packed);
    length -= part;
    from = 0;
    ++item;
  }
  return packed;
}

// The same for one item: the end of a copy that was begun, whole copies, the beginning of one more.
template <Direction direction>
std::byte* move_part(const LayoutItem& item, std::byte* base, Count from, Count length, std::byte* packed) {
  std::byte* at = base + item.offset;
  if (item.body == nullptr && item.count == 1) {
    return move_block<direction>(at + from, static_cast<std::size_t>(length), packed);
  }
  at += from / item.bytes * item.stride;
  from %= item.bytes;
  const auto move_rest = [&](Count begin, Count bytes) {
    if (item.body == nullptr) {
      packed = move_block<direction>(at + begin, static_cast<std::size_t>(bytes), packed);
    } else {
      packed = move_part<direction>(item.body->items(), at, begin, bytes, packed);
    }
  };
  if (from > 0) {
    const Count part = std::min(length, item.bytes - from);
    move_rest(from, part);
    length -= part;
    if (length == 0) return packed;
    at += item.stride;
  }
  const Count whole = length / item.bytes;
  packed = move_copies<direction>(item, at, whole, packed);
  at += whole * item.stride;
  length -= whole * item.bytes;
  if (length > 0) move_rest(0, length);
  return packed;
}

// Collects runs until there is no room for one more.
class PieceList {
 public:
  explicit PieceList(std::span<Piece> pieces) : pieces_(pieces) {}
  std::size_t used() const { return used_; }
  Count bytes() const { return bytes_; }

  bool add(std::byte* data, Count bytes) {
    if (used_ > 0 && pieces_[used_ - 1].data + pieces_[used_ - 1].bytes == data) {
      pieces_[used_ - 1].bytes += static_cast<std::size_t>(bytes);
    } else if (used_ < pieces_.size()) {
      pieces_[used_++] = {data, static_cast<std::size_t>(bytes)};
    } else {
      return false;
    }
    bytes_ += bytes;
    return true;
  }

  // Everything of the item from byte `from` on; false if the list got full.
  bool add_item(const LayoutItem& item, std::byte* base, Count from) {
    Count i = from / item.bytes;
    from %= item.bytes;
    for (std::byte* at = base + item.offset + i * item.stride; i < item.count; ++i, at += item.stride, from = 0) {
      const bool room = item.body == nullptr ? add(at + from, item.bytes - from) : add_items(item.body->items(), at, from);
      if (!room) return false;
    }
    return true;
  }

 private:
  bool add_items(std::span<const LayoutItem> items, std::byte* base, Count from) {
    const LayoutItem* item = item_at(items, from);
    from -= item->before;
    for (; item != items.data() + items.size(); ++item, from = 0) {
      if (!add_item(*item, base, from)) return false;
    }
    return true;
  }

  std::span<Piece> pieces_;
  std::size_t used_ = 0;
  Count bytes_ = 0;
};

Error truncated(Count sent, Count room) {
  return make_error(ErrorClass::truncate, "%lld bytes do not fit into a buffer of %lld bytes", static_cast<long long>(sent),
                    static_cast<long long>(room));
}

}  // namespace

PackCursor::PackCursor(const Buffer& buffer) : base_(buffer.data), total_(pack_size(buffer)) {
  if (total_ > 0) root_ = loop_over(buffer.type->layout(), buffer.count, buffer.type->extent());
}

std::size_t PackCursor::pack(std::byte* out, std::size_t room) {
  const Count length = static_cast<Count>(std::min(room, static_cast<std::size_t>(bytes_left())));
  if (length == 0) return 0;
  move_part<Direction::pack>(root_, base_, position_, length, out);
  position_ += length;
  return static_cast<std::size_t>(length);
}

std::size_t PackCursor::unpack(const std::byte* in, std::size_t bytes) {
  const Count length = static_cast<Count>(std::min(bytes, static_cast<std::size_t>(bytes_left())));
  if (length == 0) return 0;
  move_part<Direction::unpack>(root_, base_, position_, length, const_cast<std::byte*>(in));  // only read in this direction
  position_ += length;
  return static_cast<std::size_t>(length);
}

std::size_t PackCursor::next_pieces(std::span<Piece> pieces) {
  if (done() || pieces.empty()) return 0;
  PieceList list(pieces);
  list.add_item(root_, base_, position_);
  position_ += list.bytes();
  return list.used();
}

Error copy_typed(const Buffer& from, const Buffer& to) {
  const Count bytes = pack_size(from);
  const Count room = pack_size(to);
  const Error error = bytes > room ? truncated(bytes, room) : Error();
  const auto length = static_cast<std::size_t>(std::min(bytes, room));
  if (length == 0) return error;
  const std::byte* source = contiguous_start(from);
  std::byte* dest = contiguous_start(to);
  if (source != nullptr && dest != nullptr) {
    if (source != dest) copy_bytes(dest, source, length);
    return error;
  }
  PackCursor source_cursor(from);
  PackCursor dest_cursor(to);
  if (source != nullptr) {
    dest_cursor.unpack(source, length);
  } else if (dest != nullptr) {
    source_cursor.pack(dest, length);
  } else {
    // Through a buffer that stays in the first cache: two walks cost less than one walk over both layouts at once.
    std::array<std::byte, 8192> between;
    for (std::size_t moved = 0; moved < length;) {
      moved +=
          dest_cursor.unpack(between.data(), source_cursor.pack(between.data(), std::min(between.size(), length - moved)));
    }
  }
  return error;
}

}  // namespace ompi_lite
