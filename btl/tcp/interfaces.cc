// SPDX-License-Identifier: BSD-3-Clause
// Lists and chooses interfaces.
#include "btl/tcp/interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/text.h"

namespace ompi_lite::btl::tcp {

namespace {

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

// Addresses that mean something only together with an interface are of no use to others.
bool link_local(const HostAddress& address) {
  return address.family == 6 ? address.bytes[0] == 0xfe && (address.bytes[1] & 0xc0) == 0x80
                             : address.bytes[0] == 169 && address.bytes[1] == 254;
}

// "10.0.0.0/8", or an address alone for itself.
std::optional<Interface> network_of(std::string_view word) {
  const std::size_t slash = word.find('/');
  const std::string address(word.substr(0, slash));
  Interface network{};
  if (inet_pton(AF_INET, address.c_str(), network.address.bytes) == 1)
    network.address.family = 4;
  else if (inet_pton(AF_INET6, address.c_str(), network.address.bytes) == 1)
    network.address.family = 6;
  else
    return {};
  const int most = network.address.family == 4 ? 32 : 128;
  const std::optional<int> bits = slash == std::string_view::npos ? most : whole_number(word.substr(slash + 1));
  if (!bits || *bits > most) return {};
  for (int bit = 0; bit < *bits; ++bit) network.mask.bytes[bit / 8] |= static_cast<std::uint8_t>(0x80 >> (bit % 8));
  return network;
}

bool fits(const Interface& each, std::string_view word) {
  if (each.name == word) return true;
  const std::optional<Interface> network = network_of(word);
  return network && same_subnet(*network, each.address);
}

std::string list_text(const std::vector<Interface>& all) {
  std::string text;
  for (const Interface& each : all) text += (text.empty() ? "" : ", ") + each.name + " (" + text_of(each.address) + ")";
  return text.empty() ? "none" : text;
}

template <class Visit>
void each_word(std::string_view list, Visit visit) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (comma != 0) visit(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
}

// A word with a slash can only be meant as a network.
Error check_words(const char* knob, std::string_view list) {
  Error error;
  each_word(list, [&](std::string_view word) {
    if (error || word.find('/') == std::string_view::npos || network_of(word)) return;
    error =
        make_error(ErrorClass::arg, "knob %s: \"%.*s\" is neither the name of an interface nor a network such as 10.0.0.0/8",
                   knob, static_cast<int>(word.size()), word.data());
  });
  return error;
}

}  // namespace

HostAddress loopback_address() {
  HostAddress host;
  host.family = 4;
  host.bytes[0] = 127;
  host.bytes[3] = 1;
  return host;
}

std::string text_of(const HostAddress& address) {
  char text[INET6_ADDRSTRLEN] = "?";
  inet_ntop(address.family == 4 ? AF_INET : AF_INET6, address.bytes, text, sizeof text);
  return text;
}

std::string text_of(const HostAddress& address, std::uint16_t port) {
  return text_of(address) + " port " + std::to_string(port);
}

bool same_subnet(const Interface& mine, const HostAddress& theirs) {
  if (mine.address.family != theirs.family) return false;
  for (int i = 0; i < 16; ++i) {
    if ((mine.address.bytes[i] ^ theirs.bytes[i]) & mine.mask.bytes[i]) return false;
  }
  return true;
}

std::vector<Interface> usable_interfaces() {
  std::vector<Interface> found;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) {
    OL_LOG(warn, "listing the network interfaces: %s", strerror(errno));
    return found;
  }
  for (ifaddrs* each = first; each; each = each->ifa_next) {
    HostAddress address = from_sockaddr(each->ifa_addr);
    if (address.family == 0 || !(each->ifa_flags & IFF_UP) || link_local(address)) continue;
    found.push_back({each->ifa_name, address, from_sockaddr(each->ifa_netmask), (each->ifa_flags & IFF_LOOPBACK) != 0,
                     (each->ifa_flags & IFF_RUNNING) != 0});
  }
  freeifaddrs(first);
  std::stable_partition(found.begin(), found.end(), [](const Interface& each) { return each.carrier; });
  return found;
}

Result<std::vector<Interface>> chosen_interfaces(const std::vector<Interface>& all, std::string_view wanted,
                                                 std::string_view unwanted) {
  OL_TRY(check_words("tcp_interfaces", wanted));
  OL_TRY(check_words("tcp_exclude_interfaces", unwanted));
  std::vector<Interface> chosen;
  for (const Interface& each : all) {
    bool take = wanted.empty();
    each_word(wanted, [&](std::string_view word) { take = take || fits(each, word); });
    each_word(unwanted, [&](std::string_view word) { take = take && !fits(each, word); });
    if (take) chosen.push_back(each);
  }
  if (chosen.empty() && !(wanted.empty() && unwanted.empty())) {
    return make_error(ErrorClass::arg,
                      "knobs tcp_interfaces (\"%.*s\") and tcp_exclude_interfaces (\"%.*s\") leave none of: %s",
                      static_cast<int>(wanted.size()), wanted.data(), static_cast<int>(unwanted.size()), unwanted.data(),
                      list_text(all).c_str());
  }
  return chosen;
}

Result<PortRange> parse_ports(std::string_view text) {
  if (text.empty()) return PortRange{};
  const std::size_t dash = text.find('-');
  const std::optional<int> first = whole_number(text.substr(0, dash));
  const std::optional<int> last = dash == std::string_view::npos ? first : whole_number(text.substr(dash + 1));
  if (!first || !last || *first < 1 || *last > 65535 || *first > *last) {
    return make_error(ErrorClass::arg, "knob ports: \"%.*s\" is not a range of ports such as 50000-50030",
                      static_cast<int>(text.size()), text.data());
  }
  return PortRange{static_cast<std::uint16_t>(*first), static_cast<std::uint16_t>(*last)};
}

}  // namespace ompi_lite::btl::tcp
