// SPDX-License-Identifier: BSD-3-Clause
// One TCP connection: its bytes, and how far it has come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "btl/btl.h"
#include "btl/tcp/handshake.h"
#include "btl/tcp/socket.h"

namespace ompi_lite::btl::tcp {

struct Peer;

inline constexpr std::size_t kMaxFrame = 64 << 10;

// Owned by the transport, which also decides what comes next. Until it is open it takes only the fixed messages of the
// handshake and holds no buffer, so strangers cost nothing.
class Connection {
 public:
  // In the order in which they follow each other: the connector's first, then the listener's.
  enum class State { connecting, hello_sent, answer_sent, hello_awaited, answer_awaited, open, closed };

  Connection(os::Fd fd, State first_state, std::int64_t first_deadline_ns)
      : state(first_state), deadline_ns(first_deadline_ns), fd_(std::move(fd)) {}

  int fd() const { return fd_.get(); }
  bool accepted_but_unproven() const { return state == State::hello_awaited || state == State::answer_awaited; }
  void close();

  // What has to be sent still. flush: false if the stream is broken.
  bool flush();
  bool unsent() const { return sent_ < out_.size(); }
  std::size_t unsent_bytes() const { return out_.size() - sent_; }
  void queue(std::span<const std::byte> bytes);
  void queue_frame(FrameKind kind, std::span<const std::byte> header, Pieces payload, std::size_t bytes, std::size_t skip);

  // Sends the frame, or as much as the socket takes, and queues the rest. False if the stream is broken.
  bool send_frame(std::span<const std::byte> header, Pieces payload, std::size_t bytes);

  // A fixed message of the handshake: 1 complete, 0 not yet, else -errno.
  template <class Message>
  std::int64_t receive(Message& message) {
    static_assert(sizeof message <= kMostFixed);
    std::int64_t rc = receive_fixed(sizeof message);
    if (rc == 1) std::memcpy(&message, fixed_.data(), sizeof message);
    return rc;
  }

  void open();
  // Reads what has come, once. > 0, 0 for nothing, else -errno.
  std::int64_t fill();
  // The next complete frame in the buffer: 1, 0 if there is none yet, -1 if the stream does not follow the protocol.
  int next_frame(FrameKind& kind, std::span<const std::byte>& frame);

  State state;
  std::int64_t deadline_ns;              // until then it must have come further
  std::int64_t unanswered_since_ns = 0;  // when it is open; 0: what we send is acknowledged
  Peer* peer = nullptr;
  Hello hello{};
  Secret secret{};  // that the two of this connection have to know
  Nonce listener_nonce{};
  bool send_broken = false;
  bool parting = false;   // we have said part: nothing more goes out
  bool parted = false;  // the other side has
  bool proven = false;  // waits for the end of an earlier connection of the same two
  bool watched_for_write = false;

 private:
  static constexpr std::size_t kMostFixed = 64;
  static constexpr std::size_t kBuffer = 4 * kMaxFrame;
  std::int64_t receive_fixed(std::size_t bytes);

  os::Fd fd_;
  std::vector<std::byte> out_;
  std::size_t sent_ = 0;  // of out_
  std::unique_ptr<std::byte[]> in_;
  std::size_t begin_ = 0, end_ = 0;  // of what is in in_
  std::array<std::byte, kMostFixed> fixed_{};
  std::size_t fixed_bytes_ = 0;
};

}  // namespace ompi_lite::btl::tcp
