// SPDX-License-Identifier: BSD-3-Clause
// The ring of one directed pair of ranks, as it lies in the node's segment, and its two ends.
//
//   | consumed | cell 0 | cell 1 | ... | cell 63 |  hot bytes  |     bulk bytes (elsewhere, made by the first large frame)
//
// A frame takes one cell. The cell's first word is a sequence number that only its lap of the ring can have, so the reader
// needs no common position with the writer: it looks at the cell that comes next. Up to 248 bytes the frame lies in the
// cell: with 56 the whole message is one cache line. Larger frames lie in a ring of bytes, in one piece, and the cell says
// where. Small frames keep to few hot lines; large ones walk through an area about twice as large as the second-level cache,
// since a line that the reader still holds is dear to overwrite. Both areas free themselves by the reader's count of
// consumed cells alone.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "btl/btl.h"
#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/os_prefetch.h"

namespace ompi_lite::btl::shm {

inline constexpr std::uint32_t kCells = 64;
inline constexpr std::size_t kLine = 128;  // two lines: processors fetch them in pairs
inline constexpr std::size_t kCellBytes = 256;
inline constexpr std::size_t kMostPrefetched = 2048;
inline constexpr std::size_t kInline = kCellBytes - 8;  // largest frame that lies in its cell

struct alignas(kCellBytes) Cell {
  std::atomic<std::uint32_t> sequence;  // number of the frame + 1: the frame is complete
  std::uint32_t bytes;
  union {
    std::byte frame[kInline];
    std::uint64_t offset;  // in the segment, if bytes > kInline
  };
};
static_assert(sizeof(Cell) == kCellBytes);

struct RingMemory {
  alignas(kLine) std::atomic<std::uint64_t> consumed;  // cells that the reader is done with; written by the reader
  alignas(kLine) std::uint64_t sent;                   // left here by a writer that closes, for one that comes later
  alignas(kLine) std::atomic<std::uint64_t> word;      // Endpoint::shared_word of this direction
  Cell cells[kCells];
  // hot bytes follow
};
static_assert(sizeof(RingMemory) == 4 * kLine + kCells * kCellBytes);

// A ring of bytes, known to the writer alone. Positions count up for ever.
struct ByteArea {
  std::uint64_t offset = 0;  // in the segment
  std::uint64_t size = 0;    // 0: there is none
  std::uint64_t head = 0;    // first byte never handed out
  std::uint64_t tail = 0;    // all before is free again

  // A place for so many bytes in one piece, or false. On true `head` has moved behind it.
  bool place(std::uint64_t bytes, std::uint64_t& at) {
    if (head == tail && bytes > size - head % size) head = tail = (head / size + 1) * size;
    std::uint64_t start = head;
    if (bytes > size - start % size) start = (start / size + 1) * size;  // no frame wraps
    if (start + bytes - tail > size) return false;
    at = offset + start % size;
    head = start + bytes;
    return true;
  }
};

// The writing end. Owned by the endpoint to the peer.
class RingWriter {
 public:
  RingWriter() = default;
  RingWriter(Segment& segment, RingMemory& memory, ByteArea hot) : segment_(&segment), memory_(&memory), hot_(hot) {
    sent_ = memory.sent;
    consumed_ = memory.consumed.load(std::memory_order_acquire);  // partner: RingReader::publish
  }

  bool open() const { return memory_ != nullptr; }
  bool has_bulk() const { return bulk_.size != 0; }
  const ByteArea& bulk() const { return bulk_; }
  void set_bulk(ByteArea bulk) { bulk_ = bulk; }
  std::uint64_t in_flight() const { return sent_ - memory_->consumed.load(std::memory_order_acquire); }
  void close() {
    if (memory_) memory_->sent = sent_;
  }

  // False: the ring is full. `large`: the frame goes to the bulk area if there is one.
  bool write(std::span<const std::byte> header, Pieces payload, std::size_t bytes, bool large) {
    if (sent_ - consumed_ >= kCells && !refresh(kCells - 1)) return false;
    Cell& cell = memory_->cells[sent_ % kCells];
    std::byte* to = cell.frame;
    std::uint8_t area = 0;
    if (bytes > kInline) {
      area = large && has_bulk() ? 2 : 1;
      std::uint64_t offset;
      if (!place(area, bytes, offset)) return false;
      to = segment_->at(offset);
      cell.offset = offset;
    }
    areas_[sent_ % kCells] = area;
    // The reader had these lines last: ask for them before they are needed one by one.
    for (std::size_t line = 64; line < bytes + 8 && line < kMostPrefetched; line += 64) os::claim_line(to + line);
    std::memcpy(to, header.data(), header.size());
    to += header.size();
    for (const Piece& piece : payload) {
      copy_bytes(to, piece.data, piece.bytes);
      to += piece.bytes;
    }
    cell.bytes = static_cast<std::uint32_t>(bytes);
    ++sent_;
    cell.sequence.store(static_cast<std::uint32_t>(sent_),
                        std::memory_order_release);  // partner: the load in RingReader::next
    return true;
  }

 private:
  bool place(std::uint8_t area, std::size_t bytes, std::uint64_t& offset) {
    ByteArea& where = area == 2 ? bulk_ : hot_;
    std::uint64_t rounded = (bytes + kLine - 1) / kLine * kLine;
    OL_CHECK(rounded <= where.size, bytes, where.size);
    if (!where.place(rounded, offset)) {
      refresh(0);
      if (!where.place(rounded, offset)) return false;
    }
    ends_[sent_ % kCells] = where.head;
    return true;
  }

  // Takes over what the reader has consumed meanwhile. True if at most `most` cells are still in flight.
  [[gnu::noinline]] bool refresh(std::uint64_t most) {
    std::uint64_t now = memory_->consumed.load(std::memory_order_acquire);  // partner: RingReader::publish
    for (; consumed_ != now; ++consumed_) {
      std::uint8_t area = areas_[consumed_ % kCells];
      if (area == 1) hot_.tail = ends_[consumed_ % kCells];
      if (area == 2) bulk_.tail = ends_[consumed_ % kCells];
    }
    return sent_ - consumed_ <= most;
  }

  Segment* segment_ = nullptr;
  RingMemory* memory_ = nullptr;
  std::uint64_t sent_ = 0;
  std::uint64_t consumed_ = 0;  // as last seen
  ByteArea hot_;
  ByteArea bulk_;
  std::array<std::uint8_t, kCells> areas_{};  // 0 in the cell, 1 hot, 2 bulk
  std::array<std::uint64_t, kCells> ends_{};  // the area's head behind the frame of the cell
};

// The reading end. Owned by the transport of the receiver.
class RingReader {
 public:
  RingReader(Segment& segment, RingMemory& memory, PeerId peer) : segment_(&segment), memory_(&memory), peer_(peer) {
    read_ = published_ = memory.consumed.load(std::memory_order_relaxed);  // our own store
  }

  PeerId peer() const { return peer_; }

  // Hands up the frames that are complete, a limited number so that other peers get their turn. True if there was one.
  bool drain(Receiver& receiver) {
    Cell* cell = &memory_->cells[read_ % kCells];
    if (!complete(*cell)) {
      if (published_ != read_) publish();
      return false;
    }
    for (int i = 0; i < kMostPerTurn && complete(*cell); ++i) {
      std::size_t bytes = cell->bytes;
      const std::byte* frame = cell->frame;
      if (bytes > kInline) {
        OL_CHECK(segment_->holds(cell->offset, bytes), cell->offset, bytes);
        frame = segment_->at(cell->offset);
      }
      receiver.on_frame(peer_, {frame, bytes});
      ++read_;
      // Nobody waits for the cell of a small frame, but the writer of large ones waits for their room.
      if (bytes >= kPublishFrom || read_ - published_ >= kCells / 4) publish();
      cell = &memory_->cells[read_ % kCells];
    }
    return true;
  }

 private:
  static constexpr int kMostPerTurn = 16;
  static constexpr std::size_t kPublishFrom = 2048;

  bool complete(const Cell& cell) const {
    return cell.sequence.load(std::memory_order_acquire) ==
           static_cast<std::uint32_t>(read_ + 1);  // partner: RingWriter::write
  }

  void publish() {
    memory_->consumed.store(read_, std::memory_order_release);  // partner: RingWriter::refresh
    published_ = read_;
  }

  Segment* segment_;
  RingMemory* memory_;
  std::uint64_t read_;
  std::uint64_t published_;
  PeerId peer_;
};

}  // namespace ompi_lite::btl::shm
