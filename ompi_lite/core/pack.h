// SPDX-License-Identifier: BSD-3-Clause
// From typed buffers to plain bytes and back, in pieces of any size and from any position.
#pragma once

#include <cstddef>
#include <span>

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/layout.h"

namespace ompi_lite {

// Bytes of data in the buffer: count * size of the type.
inline Count pack_size(const Buffer& buffer) { return buffer.type == nullptr ? 0 : buffer.count * buffer.type->size(); }

// The first byte of data if the whole buffer is one run of pack_size() bytes (also with displacements from MPI_BOTTOM), else
// nullptr. Also nullptr for a buffer without data at address zero: ask pack_size() first.
inline std::byte* contiguous_start(const Buffer& buffer) {
  const Datatype& type = *buffer.type;
  if (!type.contiguous() && !(type.one_block() && buffer.count <= 1)) return nullptr;
  return buffer.data + type.true_lb();
}

// Moves the bytes of one buffer in packed order: the order of the type map, element after element. Plain data, no ownership:
// buffer and type must outlive it. A cursor is a position; a pack or unpack of any length may follow any other.
class PackCursor {
 public:
  PackCursor() = default;
  explicit PackCursor(const Buffer& buffer);

  Count total_bytes() const { return total_; }
  Count position() const { return position_; }
  Count bytes_left() const { return total_ - position_; }
  bool done() const { return position_ == total_; }
  void seek(Count byte_position) { position_ = byte_position; }

  // Copies the next min(room, bytes_left()) bytes of the buffer to out; says how many.
  std::size_t pack(std::byte* out, std::size_t room);
  // Copies the next min(bytes, bytes_left()) bytes from in to the buffer; says how many. Bytes beyond are the caller's to
  // judge.
  std::size_t unpack(const std::byte* in, std::size_t bytes);
  // Lists the next runs of the buffer, in order, neighbours merged, at most pieces.size(); moves the position past them.
  // For single copy and gathering writes. Says how many; 0 at the end.
  std::size_t next_pieces(std::span<Piece> pieces);

 private:
  std::byte* base_ = nullptr;
  LayoutItem root_;  // the whole buffer as one loop
  Count total_ = 0;
  Count position_ = 0;
};

// Copies from one typed buffer to another of equal signature, for instance a message to oneself. The buffers must not
// overlap unless they are the same bytes in the same order. If `from` holds more than `to` has room for, fills `to` and
// returns MPI_ERR_TRUNCATE with both sizes.
Error copy_typed(const Buffer& from, const Buffer& to);

}  // namespace ompi_lite
