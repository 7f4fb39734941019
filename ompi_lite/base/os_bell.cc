// SPDX-License-Identifier: BSD-3-Clause
// Bells are empty datagrams.
#include "ompi_lite/base/os_bell.h"

#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdio>

namespace ompi_lite::os {
namespace {

socklen_t address_of(std::uint64_t name, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;  // the name follows a zero
  const int length = std::snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "ompi-lite-bell-%016llx",
                                   static_cast<unsigned long long>(name));
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
}

int new_socket() { return socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

// All bells are rung from one socket, which stays until the process ends.
int ringing_socket() {
  static constinit std::atomic<int> kept{-1};
  int fd = kept.load(std::memory_order_relaxed);  // partner: the exchange below; nothing is published with the number
  if (fd >= 0) return fd;
  Fd made(new_socket());
  if (!made) return -1;
  int none = -1;
  if (kept.compare_exchange_strong(none, made.get(), std::memory_order_relaxed)) return made.release();  // as above
  return none;
}

}  // namespace

Bell make_bell() {
  Bell bell;
  if (getrandom(&bell.name, sizeof(bell.name), GRND_NONBLOCK) != sizeof(bell.name) || bell.name == 0) return {};
  bell.fd = Fd(new_socket());
  sockaddr_un address;
  const socklen_t length = address_of(bell.name, address);
  if (!bell.fd || bind(bell.fd.get(), reinterpret_cast<sockaddr*>(&address), length) != 0) return {};
  return bell;
}

void ring_bell(std::uint64_t name) {
  if (name == 0) return;
  sockaddr_un address;
  const socklen_t length = address_of(name, address);
  (void)sendto(ringing_socket(), nullptr, 0, MSG_DONTWAIT | MSG_NOSIGNAL, reinterpret_cast<sockaddr*>(&address), length);
}

void silence_bell(int fd) {
  char none;
  while (recv(fd, &none, sizeof(none), MSG_DONTWAIT) >= 0) {
  }
}

}  // namespace ompi_lite::os
