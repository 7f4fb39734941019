// SPDX-License-Identifier: BSD-3-Clause
// The lists of hosts that people write by hand.
#include <string_view>
#include <vector>

#include "launcher/hosts.h"
#include "ompi_lite/base/macros.h"
#include "test/fuzz/targets.h"

namespace ompi_lite::test {

void fuzz_host_file(std::span<const std::byte> input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  std::vector<launcher::Host> hosts, words;
  if (!launcher::parse_host_file("file", text, hosts)) {
    for (const launcher::Host& host : hosts) OL_CHECK(!host.name.empty() && host.slots >= 0, host.slots);
  }
  static_cast<void>(launcher::parse_host_word(text, words));
}

}  // namespace ompi_lite::test
