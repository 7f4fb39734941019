// SPDX-License-Identifier: BSD-3-Clause
// Bytes out, bytes in, and frames found in them.
#include "btl/tcp/connection.h"

#include <algorithm>
#include <utility>

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

Sent Connection::send_frame(std::span<const std::byte> header, Pieces payload, std::size_t bytes) {
  if (wants_room() && bytes >= kPatient) {
    refused_ = true;
    return Sent::full;
  }
  std::size_t gone = 0;
  if (!unsent() && payload.size() <= kDirectPieces) {
    FrameHead head{static_cast<std::uint32_t>(bytes), FrameKind::data};
    std::array<Part, kDirectPieces + 3> parts;
    std::array<std::byte, kSmall> whole;
    std::size_t count = 0;
    parts[count++] = {&head, sizeof head};
    parts[count++] = {header.data(), header.size()};
    for (const Piece& piece : payload) parts[count++] = {piece.data, piece.bytes};
    parts[count++] = {kZeros, padded(bytes) - bytes};
    if (sizeof head + padded(bytes) <= kSmall) {  // the kernel takes one part sooner than several
      std::size_t at = 0;
      for (const Part& part : std::span(parts.data(), count)) {
        if (part.bytes > 0) std::memcpy(whole.data() + at, part.data, part.bytes);
        at += part.bytes;
      }
      parts[0] = {whole.data(), at};
      count = 1;
    }
    std::int64_t n = send_some(fd(), {parts.data(), count});
    if (n < 0) {
      send_broken = true;
      return Sent::dead;
    }
    gone = static_cast<std::size_t>(n);
    if (gone == sizeof head + padded(bytes)) return Sent::yes;
    if (gone == 0 && bytes >= kPatient) {
      refused_ = true;
      return Sent::full;
    }
  }
  queue_frame(FrameKind::data, header, payload, bytes, gone);
  return Sent::yes;
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

std::int64_t Connection::fill(Receiver& receiver, bool& more) {
  if (landing_ != 0) return fill_landing(receiver, more);
  if (begin_ == end_) begin_ = end_ = 0;
  std::size_t most = kRead;
  FrameHead head;
  if (end_ - begin_ >= sizeof head) {  // the rest of a frame that has begun
    std::memcpy(&head, in_.get() + begin_, sizeof head);
    most += sizeof head + padded(head.bytes) - (end_ - begin_);
  }
  if (kBuffer - end_ < most) {  // what is left is less than a frame: begin_ stays a multiple of 8
    std::memmove(in_.get(), in_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  std::int64_t n = receive_some(fd(), in_.get() + end_, most);
  if (n > 0) end_ += static_cast<std::size_t>(n);
  more = n == static_cast<std::int64_t>(most);
  return n;
}

// What has come of the frame so far is copied; the rest is read into its place.
void Connection::try_landing(Receiver& receiver, PeerId from) {
  FrameHead head;
  const std::size_t here = end_ - begin_;
  if (here < sizeof head + Receiver::kBegin) return;
  std::memcpy(&head, in_.get() + begin_, sizeof head);
  if (head.kind != FrameKind::data || head.bytes < kRead) return;
  const std::byte* frame = in_.get() + begin_ + sizeof head;
  const Receiver::Landing landing = receiver.on_begin(from, {frame, Receiver::kBegin}, head.bytes);
  if (landing.ticket == 0) return;
  landing_ = landing.ticket;
  landing_bytes_ = head.bytes - landing.header;
  landed_ = std::min(here - sizeof head - landing.header, landing_bytes_);
  landing_zeros_ = sizeof head + padded(head.bytes) - here - (landing_bytes_ - landed_);
  if (std::byte* place = receiver.landing_place(landing_)) copy_bytes(place, frame + landing.header, landed_);
  begin_ = end_ = 0;
}

std::int64_t Connection::fill_landing(Receiver& receiver, bool& more) {
  std::byte zeros[8];
  std::byte* place = receiver.landing_place(landing_);
  std::size_t rest = landing_bytes_ - landed_;
  if (place == nullptr) rest = std::min(rest, kRead);  // dropped by way of our own buffer
  const bool last = landed_ + rest == landing_bytes_;
  const Room rooms[] = {{place != nullptr ? place + landed_ : in_.get() + kRead, rest},
                        {zeros, last ? landing_zeros_ : 0},
                        {in_.get(), last ? kSmall : 0}};
  const std::int64_t n = receive_parts(fd(), rooms);
  if (n <= 0) return n;
  auto got = static_cast<std::size_t>(n);
  more = got == rooms[0].bytes + rooms[1].bytes + rooms[2].bytes;
  const std::size_t payload = std::min(got, rest);
  landed_ += payload;
  got -= payload;
  const std::size_t skipped = std::min(got, landing_zeros_);
  landing_zeros_ -= skipped;
  end_ = got - skipped;
  if (landed_ == landing_bytes_ && landing_zeros_ == 0) receiver.on_landed(std::exchange(landing_, 0), landing_bytes_);
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
