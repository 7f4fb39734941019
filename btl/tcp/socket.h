// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking sockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "btl/tcp/interfaces.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/base/os.h"

namespace ompi_lite::btl::tcp {

struct Listener {
  os::Fd fd;
  std::uint16_t port = 0;
};
// On all addresses of the host, at any port or at the first of the range that is free; hosts' ranks begin to look at
// different ones (`self`).
Result<Listener> listen_anywhere(const PortRange& ports, int self);

// Starts to connect; the socket becomes writable when that is decided.
Result<os::Fd> start_connect(const HostAddress& address, std::uint16_t port);
int connect_result(int fd);  // 0 or the error number
os::Fd accept_one(int listener);
void set_options(int fd);  // no delay
// Has the kernel ask an idle peer for a sign of life, so that unanswered() tells within about this time; 0: never.
void watch_idle(int fd, double seconds);
// The kernel repeats itself: something that was sent has not been acknowledged. A peer that is merely stopped does not show
// this way, for its kernel answers.
bool unanswered(int fd);

// Identifies the network namespace: loopback reaches exactly the processes in it.
std::uint64_t network_id();

// Bytes moved; 0: would block; -errno on an error, -EPIPE at the end of the stream.
std::int64_t receive_some(int fd, void* to, std::size_t bytes);
struct Part {
  const void* data;
  std::size_t bytes;
};
std::int64_t send_some(int fd, std::span<const Part> parts);
struct Room {
  void* to;
  std::size_t bytes;
};
std::int64_t receive_parts(int fd, std::span<const Room> rooms);

}  // namespace ompi_lite::btl::tcp
