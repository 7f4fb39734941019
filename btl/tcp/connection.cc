// SPDX-License-Identifier: BSD-3-Clause
// Bytes out, bytes in, and frames found in them.
#include "btl/tcp/connection.h"

#include <algorithm>

#include "ompi_lite/base/copy.h"
#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::tcp {

namespace {

constexpr std::size_t kDirectPieces = 32;  // payloads in more pieces are gathered first
constexpr std::byte kZeros[8] = {};

}  // namespace

void Connection::close() {
  state = State::closed;
  fd_.reset();
}

bool Connection::flush() {
  while (unsent() && !send_broken) {
    Part rest{out_.data() + sent_, out_.size() - sent_};
    std::int64_t n = send_some(fd(), {&rest, 1});
    if (n < 0) send_broken = true;
    if (n <= 0) break;
    sent_ += static_cast<std::size_t>(n);
  }
  if (!unsent()) {
    out_.clear();
    sent_ = 0;
  }
  return !send_broken;
}

void Connection::queue(std::span<const std::byte> bytes) {
  if (sent_ > out_.size() / 2) {
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(sent_));
    sent_ = 0;
  }
  out_.insert(out_.end(), bytes.begin(), bytes.end());
}

void Connection::queue_frame(FrameKind kind, std::span<const std::byte> header, Pieces payload, std::size_t bytes,
                             std::size_t skip) {
  FrameHead head{static_cast<std::uint32_t>(bytes), kind};
  auto add = [&](std::span<const std::byte> part) {
    std::size_t gone = std::min(skip, part.size());  // already sent
    skip -= gone;
    queue(part.subspan(gone));
  };
  add(std::as_bytes(std::span(&head, 1)));
  add(header);
  for (const Piece& piece : payload) add({piece.data, piece.bytes});
  add({kZeros, padded(bytes) - bytes});
}

bool Connection::send_frame(std::span<const std::byte> header, Pieces payload, std::size_t bytes) {
  std::size_t gone = 0;
  if (!unsent() && payload.size() <= kDirectPieces) {
    FrameHead head{static_cast<std::uint32_t>(bytes), FrameKind::data};
    std::array<Part, kDirectPieces + 3> parts;
    std::size_t count = 0;
    parts[count++] = {&head, sizeof head};
    parts[count++] = {header.data(), header.size()};
    for (const Piece& piece : payload) parts[count++] = {piece.data, piece.bytes};
    parts[count++] = {kZeros, padded(bytes) - bytes};
    std::int64_t n = send_some(fd(), {parts.data(), count});
    if (n < 0) {
      send_broken = true;
      return false;
    }
    gone = static_cast<std::size_t>(n);
    if (gone == sizeof head + padded(bytes)) return true;
  }
  queue_frame(FrameKind::data, header, payload, bytes, gone);
  return true;
}

std::int64_t Connection::receive_fixed(std::size_t bytes) {
  while (fixed_bytes_ < bytes) {  // never beyond the message: what follows belongs to whoever reads next
    std::int64_t n = receive_some(fd(), fixed_.data() + fixed_bytes_, bytes - fixed_bytes_);
    if (n <= 0) return n;
    fixed_bytes_ += static_cast<std::size_t>(n);
  }
  fixed_bytes_ = 0;
  return 1;
}

void Connection::open() {
  state = State::open;
  in_ = std::make_unique_for_overwrite<std::byte[]>(kBuffer);
}

std::int64_t Connection::fill() {
  if (begin_ == end_) begin_ = end_ = 0;
  if (kBuffer - end_ < kMaxFrame + sizeof(FrameHead)) {  // what is left is less than a frame: begin_ stays a multiple of 8
    std::memmove(in_.get(), in_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  std::int64_t n = receive_some(fd(), in_.get() + end_, kBuffer - end_);
  if (n > 0) end_ += static_cast<std::size_t>(n);
  return n;
}

int Connection::next_frame(FrameKind& kind, std::span<const std::byte>& frame) {
  FrameHead head;
  if (end_ - begin_ < sizeof head) return 0;
  std::memcpy(&head, in_.get() + begin_, sizeof head);
  if (head.bytes > kMaxFrame || head.kind < FrameKind::data || head.kind > FrameKind::part) return -1;
  std::size_t whole = sizeof head + padded(head.bytes);
  if (end_ - begin_ < whole) return 0;
  kind = head.kind;
  frame = {in_.get() + begin_ + sizeof head, head.bytes};
  begin_ += whole;
  return 1;
}

}  // namespace ompi_lite::btl::tcp
