// SPDX-License-Identifier: BSD-3-Clause
// The socket calls of Linux.
#include "btl/tcp/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
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
#include <string_view>

#include "ompi_lite/base/macros.h"

namespace ompi_lite::btl::tcp {

namespace {

constexpr std::size_t kMostParts = 64;

HostAddress from_sockaddr(const sockaddr* address) {
  HostAddress host;
  if (address && address->sa_family == AF_INET) {
    host.family = 4;
    std::memcpy(host.bytes, &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, 4);
  } else if (address && address->sa_family == AF_INET6) {
    host.family = 6;
    std::memcpy(host.bytes, &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr, 16);
  }
  return host;
}

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

bool listed(std::string_view list, std::string_view name) {
  if (list.empty()) return true;
  while (!list.empty()) {
    std::size_t comma = list.find(',');
    if (list.substr(0, comma) == name) return true;
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
  return false;
}

// Addresses that mean something only together with an interface are of no use to others.
bool link_local(const HostAddress& address) {
  return address.family == 6 ? address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80
                             : address.bytes[0] == 169 && address.bytes[1] == 254;
}

Result<Listener> listen_on(const HostAddress& any) {
  os::Fd fd(socket(any.family == 6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return make_error(ErrorClass::other, "socket: %s", strerror(errno));
  int no = 0;
  if (any.family == 6) setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  sockaddr_storage storage;
  socklen_t length = to_sockaddr(any, 0, storage);
  if (bind(fd.get(), reinterpret_cast<sockaddr*>(&storage), length) != 0 || listen(fd.get(), 1024) != 0) {
    return make_error(ErrorClass::other, "listening for connections: %s", strerror(errno));
  }
  length = sizeof storage;
  if (getsockname(fd.get(), reinterpret_cast<sockaddr*>(&storage), &length) != 0) {
    return make_error(ErrorClass::other, "getsockname: %s", strerror(errno));
  }
  std::uint16_t port = any.family == 6 ? reinterpret_cast<sockaddr_in6&>(storage).sin6_port
                                       : reinterpret_cast<sockaddr_in&>(storage).sin_port;
  return Listener{std::move(fd), ntohs(port)};
}

}  // namespace

HostAddress loopback_address() {
  HostAddress host;
  host.family = 4;
  host.bytes[0] = 127;
  host.bytes[3] = 1;
  return host;
}

std::string text_of(const HostAddress& address, std::uint16_t port) {
  char text[INET6_ADDRSTRLEN] = "?";
  inet_ntop(address.family == 4 ? AF_INET : AF_INET6, address.bytes, text, sizeof text);
  return std::string(text) + " port " + std::to_string(port);
}

bool same_subnet(const Interface& mine, const HostAddress& theirs) {
  if (mine.address.family != theirs.family) return false;
  for (int i = 0; i < 16; ++i) {
    if ((mine.address.bytes[i] ^ theirs.bytes[i]) & mine.mask.bytes[i]) return false;
  }
  return true;
}

std::vector<Interface> interfaces(const char* wanted) {
  std::vector<Interface> found;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) {
    OL_LOG(warn, "listing the network interfaces: %s", strerror(errno));
    return found;
  }
  for (ifaddrs* each = first; each; each = each->ifa_next) {
    HostAddress address = from_sockaddr(each->ifa_addr);
    bool usable = (each->ifa_flags & IFF_UP) && (each->ifa_flags & IFF_RUNNING);
    if (address.family == 0 || !usable || link_local(address) || !listed(wanted, each->ifa_name)) continue;
    found.push_back({each->ifa_name, address, from_sockaddr(each->ifa_netmask), (each->ifa_flags & IFF_LOOPBACK) != 0});
  }
  freeifaddrs(first);
  return found;
}

Result<Listener> listen_anywhere() {
  HostAddress any;
  any.family = 6;
  auto both = listen_on(any);  // takes IPv4 as well
  if (both) return both;
  any.family = 4;
  return listen_on(any);
}

Result<os::Fd> start_connect(const HostAddress& address, std::uint16_t port) {
  os::Fd fd(socket(address.family == 6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return make_error(ErrorClass::other, "socket: %s", strerror(errno));
  sockaddr_storage storage;
  socklen_t length = to_sockaddr(address, port, storage);
  set_options(fd.get());
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&storage), length) != 0 && errno != EINPROGRESS && errno != EINTR) {
    return make_error(ErrorClass::other, "connecting to %s: %s", text_of(address, port).c_str(), strerror(errno));
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

std::int64_t send_some(int fd, std::span<const Part> parts) {
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
