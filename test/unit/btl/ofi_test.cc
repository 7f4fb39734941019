// SPDX-License-Identifier: BSD-3-Clause
// Which providers of libfabric a list names.
#include "btl/ofi/ofi.h"

#include <catch2/catch.hpp>

namespace ompi_lite::btl::ofi {
namespace {

TEST_CASE("a list names providers whole or by one of their layers", "[btl]") {
  CHECK(place_in("tcp;ofi_rxm", "tcp;ofi_rxm") == 0);
  CHECK(place_in("verbs,tcp", "tcp;ofi_rxm") == 1);
  CHECK(place_in("verbs,ofi_rxm", "tcp;ofi_rxm") == 1);
  CHECK(place_in("TCP", "tcp;ofi_rxm") == 0);
  CHECK(place_in("tcp;ofi_rxm", "tcp") == -1);
  CHECK(place_in("tcp,verbs", "efa") == -1);
  CHECK(place_in("", "efa") == -1);
  CHECK(place_in(",", "efa") == -1);
  CHECK(place_in("mlx5_1,mlx5_0", "mlx5_0") == 1);
}

}  // namespace
}  // namespace ompi_lite::btl::ofi
