// SPDX-License-Identifier: BSD-3-Clause
// The addresses of this host, and which of them the user wants. Nothing here looks up a name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ompi_lite/base/error.h"

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
  bool carrier = true;  // it could send now; a cable or the other end of a veth may still come
};

HostAddress loopback_address();
std::string text_of(const HostAddress& address);
std::string text_of(const HostAddress& address, std::uint16_t port);
bool same_subnet(const Interface& mine, const HostAddress& theirs);

// The interfaces that are up, those with a carrier first, one entry an address; link-local addresses are left out.
std::vector<Interface> usable_interfaces();

// Those of `all` that a list of names and networks ("eth0,10.0.0.0/8,fd00::/8") names; all of them for an empty list.
// An Error (with what there is) if a word is no network and no name could be meant by it, or if no word fits anything here:
// the lists of hosts with different names of interfaces may be written as one.
Result<std::vector<Interface>> chosen_interfaces(const std::vector<Interface>& all, std::string_view wanted,
                                                 std::string_view unwanted);

// "50000-50030" or "50000"; from 1 to 65535, the smaller first. Nothing for an empty text.
struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
};
Result<PortRange> parse_ports(std::string_view text);

}  // namespace ompi_lite::btl::tcp
