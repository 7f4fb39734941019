// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking sockets and the addresses of this host. Nothing here looks up a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/os.h"

namespace ompi_lite::btl::tcp {

// An IPv4 or IPv6 address as it is published.
struct HostAddress {
  std::uint8_t family = 0;  // 4 or 6
  std::uint8_t unused[7] = {};
  std::uint8_t bytes[16] = {};
  bool operator==(const HostAddress&) const = default;
};
static_assert(sizeof(HostAddress) == 24);

struct Interface {
  std::string name;
  HostAddress address;
  HostAddress mask;
  bool loopback;
};

HostAddress loopback_address();
std::string text_of(const HostAddress& address, std::uint16_t port);
bool same_subnet(const Interface& mine, const HostAddress& theirs);

// The interfaces that are up and have a carrier. `wanted`: names with commas between, empty for all.
std::vector<Interface> interfaces(const char* wanted);

struct Listener {
  os::Fd fd;
  std::uint16_t port = 0;
};
Result<Listener> listen_anywhere();

// Starts to connect; the socket becomes writable when that is decided.
Result<os::Fd> start_connect(const HostAddress& address, std::uint16_t port);
int connect_result(int fd);  // 0 or the error number
os::Fd accept_one(int listener);
void set_options(int fd);  // no delay

// Identifies the network namespace: loopback reaches exactly the processes in it.
std::uint64_t network_id();

// Bytes moved; 0: would block; -errno on an error, -EPIPE at the end of the stream.
std::int64_t receive_some(int fd, void* to, std::size_t bytes);
struct Part {
  const void* data;
  std::size_t bytes;
};
std::int64_t send_some(int fd, std::span<const Part> parts);

}  // namespace ompi_lite::btl::tcp
