// SPDX-License-Identifier: BSD-3-Clause
// The socket calls of Linux.
#include "btl/tcp/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::tcp {

namespace {

constexpr std::size_t kMostParts = 64;

socklen_t to_sockaddr(const HostAddress& host, std::uint16_t port, sockaddr_storage& storage) {
  std::memset(&storage, 0, sizeof storage);
  if (host.family == 4) {
    auto& in = reinterpret_cast<sockaddr_in&>(storage);
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    std::memcpy(&in.sin_addr, host.bytes, 4);
    return sizeof in;
  }
  auto& in6 = reinterpret_cast<sockaddr_in6&>(storage);
  in6.sin6_family = AF_INET6;
  in6.sin6_port = htons(port);
  std::memcpy(&in6.sin6_addr, host.bytes, 16);
  return sizeof in6;
}

int family_of(const HostAddress& address) { return address.family == 6 ? AF_INET6 : AF_INET; }

// `taken`: the port is in use, another may do.
Result<Listener> listen_on(const HostAddress& any, std::uint16_t port, bool& taken) {
  os::Fd fd(socket(family_of(any), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return make_error(ErrorClass::other, "socket: %s", strerror(errno));
  int no = 0, yes = 1;
  if (any.family == 6) setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  // A port of the range may still be held by connections of a job that has just ended.
  if (port != 0) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_storage storage;
  socklen_t length = to_sockaddr(any, port, storage);
  if (bind(fd.get(), reinterpret_cast<sockaddr*>(&storage), length) != 0 || listen(fd.get(), 1024) != 0) {
    taken = errno == EADDRINUSE;
    return make_error(ErrorClass::other, "listening for connections: %s", strerror(errno));
  }
  length = sizeof storage;
  if (getsockname(fd.get(), reinterpret_cast<sockaddr*>(&storage), &length) != 0) {
    return make_error(ErrorClass::other, "getsockname: %s", strerror(errno));
  }
  std::uint16_t got = any.family == 6 ? reinterpret_cast<sockaddr_in6&>(storage).sin6_port
                                      : reinterpret_cast<sockaddr_in&>(storage).sin_port;
  return Listener{std::move(fd), ntohs(got)};
}

Result<Listener> listen_at(std::uint16_t port, bool& taken) {
  HostAddress any;
  any.family = 6;
  taken = false;
  auto both = listen_on(any, port, taken);  // takes IPv4 as well
  if (both || taken) return both;
  any.family = 4;
  return listen_on(any, port, taken);
}

}  // namespace

Result<Listener> listen_anywhere(const PortRange& ports, int self) {
  bool taken = false;
  const int count = ports.last - ports.first + 1;
  for (int i = 0; i < count; ++i) {
    auto made = listen_at(static_cast<std::uint16_t>(ports.first == 0 ? 0 : ports.first + (self + i) % count), taken);
    if (made || !taken) return made;
  }
  return make_error(ErrorClass::other, "all ports from %d to %d are in use on this host (knob ports); each rank needs one",
                    ports.first, ports.last);
}

Result<os::Fd> start_connect(const HostAddress& address, std::uint16_t port) {
  os::Fd fd(socket(family_of(address), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return make_error(ErrorClass::other, "socket: %s", strerror(errno));
  sockaddr_storage storage;
  socklen_t length = to_sockaddr(address, port, storage);
  set_options(fd.get());
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&storage), length) != 0 && errno != EINPROGRESS && errno != EINTR) {
    return make_error(ErrorClass::other, "%s", strerror(errno));
  }
  return fd;
}

int connect_result(int fd) {
  int why = 0;
  socklen_t length = sizeof why;
  return getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &length) == 0 ? why : errno;
}

os::Fd accept_one(int listener) {
  int fd;
  do {
    fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  } while (fd < 0 && (errno == EINTR || errno == ECONNABORTED));
  if (fd >= 0) set_options(fd);
  return os::Fd(fd);
}

void set_options(int fd) {
  int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

void watch_idle(int fd, double seconds) {
  if (seconds <= 0) return;
  constexpr int kProbes = 20;  // then the kernel gives the peer up by itself; we do so before
  int yes = 1, idle = std::clamp(static_cast<int>(seconds / 4), 1, 32'000), between = std::clamp(idle / 2, 1, 32'000);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
  setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &kProbes, sizeof kProbes);
}

bool unanswered(int fd) {
  tcp_info info{};
  socklen_t length = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return false;
  return info.tcpi_retransmits > 0 || info.tcpi_probes > 0;
}

std::uint64_t network_id() {
  struct stat status {};
  std::uint64_t id = 0x9e3779b97f4a7c15;
  if (stat("/proc/self/ns/net", &status) == 0) id ^= static_cast<std::uint64_t>(status.st_ino) * 0xff51afd7ed558ccd;
  char text[64] = "";
  os::Fd fd(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  if (fd && read(fd.get(), text, sizeof text - 1) > 0) {
    for (char c : text) id = (id ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return id;
}

std::int64_t receive_some(int fd, void* to, std::size_t bytes) {
  ssize_t n;
  do {
    n = recv(fd, to, bytes, MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n > 0) return n;
  if (n == 0) return -EPIPE;
  return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

std::int64_t receive_parts(int fd, std::span<const Room> rooms) {
  std::array<iovec, kMostParts> vectors;
  OL_CHECK(rooms.size() <= kMostParts, rooms.size());
  for (std::size_t i = 0; i < rooms.size(); ++i) vectors[i] = {rooms[i].to, rooms[i].bytes};
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = rooms.size();
  ssize_t n;
  do {
    n = recvmsg(fd, &message, MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  if (n > 0) return n;
  if (n == 0) return -EPIPE;
  return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

std::int64_t send_some(int fd, std::span<const Part> parts) {
  if (parts.size() == 1) {
    ssize_t n;
    do {
      n = send(fd, parts[0].data, parts[0].bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    if (n >= 0) return n;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
  }
  std::array<iovec, kMostParts> vectors;
  OL_CHECK(parts.size() <= kMostParts, parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) vectors[i] = {const_cast<void*>(parts[i].data), parts[i].bytes};
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = parts.size();
  ssize_t n;
  do {
    n = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (n < 0 && errno == EINTR);
  if (n >= 0) return n;
  return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

}  // namespace ompi_lite::btl::tcp
