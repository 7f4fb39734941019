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

inline constexpr std::size_t kMaxFrame = 256 << 10;

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

  // Sends the frame, or as much as the socket takes, and queues the rest. A large one that finds the socket full is not
  // taken: copying it into a queue would cost more than waiting. False if the stream is broken.
  Sent send_frame(std::span<const std::byte> header, Pieces payload, std::size_t bytes);
  // Something waits for the socket to have room: what is queued here, or a frame that was not taken.
  bool wants_room() const { return unsent() || refused_; }
  void has_room() { refused_ = false; }

  // A fixed message of the handshake: 1 complete, 0 not yet, else -errno.
  template <class Message>
  std::int64_t receive(Message& message) {
    static_assert(sizeof message <= kMostFixed);
    std::int64_t rc = receive_fixed(sizeof message);
    if (rc == 1) std::memcpy(&message, fixed_.data(), sizeof message);
    return rc;
  }

  void open();
  // Reads what has come, once; `more`: there may be more. > 0, 0 for nothing, else -errno. The payload of a large frame goes
  // straight to where the receiver wants it.
  std::int64_t fill(Receiver& receiver, bool& more);
  // The next complete frame in the buffer: 1, 0 if there is none yet, -1 if the stream does not follow the protocol.
  int next_frame(FrameKind& kind, std::span<const std::byte>& frame);
  // After next_frame gave 0: asks whether the frame that has begun may land where it belongs.
  void try_landing(Receiver& receiver, PeerId from);

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
  static constexpr std::size_t kRead = 32 << 10;  // at a time, where nothing is known of what comes
  static constexpr std::size_t kBuffer = kMaxFrame + 4 * kRead;
  static constexpr std::size_t kSmall = 1024;       // frames that are put together before they are sent
  static constexpr std::size_t kPatient = 8 << 10;  // frames that are worth waiting for room
  std::int64_t receive_fixed(std::size_t bytes);
  std::int64_t fill_landing(Receiver& receiver, bool& more);

  os::Fd fd_;
  std::vector<std::byte> out_;
  std::size_t sent_ = 0;  // of out_
  bool refused_ = false;
  std::unique_ptr<std::byte[]> in_;
  std::size_t begin_ = 0, end_ = 0;  // of what is in in_
  std::uint64_t landing_ = 0;        // the ticket; then in_ is empty
  std::size_t landed_ = 0, landing_bytes_ = 0, landing_zeros_ = 0;  // of the payload; zeros behind it that have not come
  std::array<std::byte, kMostFixed> fixed_{};
  std::size_t fixed_bytes_ = 0;
};

}  // namespace ompi_lite::btl::tcp
