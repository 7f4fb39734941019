// SPDX-License-Identifier: BSD-3-Clause
// Which of libfabric's providers and devices this process uses.
#pragma once

#include <span>
#include <string>

#include "btl/ofi/library.h"
#include "btl/ofi/ofi.h"
#include "btl/tcp/interfaces.h"

namespace ompi_lite::btl::ofi {

struct Choice {
  Info info;
  bool sockets;  // its addresses are those of sockets that listen, and its data go over them
};

// `turn`: which of several devices, where more than one will do. An Error says what there is.
Result<Choice> choose_provider(const Library& library, Use use_it, std::size_t turn);

// The address of a socket, as fi_info and fi_getname give it; family 0 for what is none.
struct SocketAddress {
  tcp::HostAddress host;
  std::uint16_t port = 0;
  bool is_loopback() const;
};
SocketAddress socket_address(std::span<const std::byte> bytes);
void set_port(fi_info& info, std::uint16_t port);

}  // namespace ompi_lite::btl::ofi
