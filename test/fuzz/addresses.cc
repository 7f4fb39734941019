// SPDX-License-Identifier: BSD-3-Clause
// The addresses that processes publish, as a transport reads them that is to reach one. Nothing is sent there.
#include <memory>

#include "btl/tcp/transport.h"
#include "ompi_lite/base/macros.h"
#include "test/fuzz/targets.h"

namespace ompi_lite::test {

void fuzz_addresses(std::span<const std::byte> input) {
  static const std::unique_ptr<btl::Transport> transport = [] {
    auto made = btl::tcp::TcpTransport::make({});
    OL_CHECK(made, made.error().sentence());
    return std::move(made).value();
  }();
  const std::vector<std::byte> own = transport->address();
  OL_CHECK(transport->connect(2, own), own.size());
  std::vector<std::byte> changed = own;  // the first byte says how long it gets, then groups of a place and a value
  if (!input.empty()) changed.resize(std::to_integer<std::size_t>(input[0]), std::byte{});
  for (std::size_t i = 1; i + 1 < input.size() && !changed.empty(); i += 2)
    changed[std::to_integer<std::size_t>(input[i]) % changed.size()] = input[i + 1];
  static_cast<void>(transport->connect(1, changed));
  static_cast<void>(transport->connect(1, input));
}

}  // namespace ompi_lite::test
