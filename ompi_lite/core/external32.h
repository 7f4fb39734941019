// SPDX-License-Identifier: BSD-3-Clause
// The portable representation "external32": big endian, IEEE, sizes fixed by the standard (MPI 5.0, section 14.5.2).
#pragma once

#include <cstddef>

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/core/signature.h"

namespace ompi_lite {

// Bytes of one element of a type in external32.
Count external_bytes(const Signature& signature);

// Converts `count` elements in packed order between this machine's representation and external32. Integers that do not fit
// into a narrower external one lose their upper bits.
void to_external(const Signature& signature, Count count, const std::byte* native, std::byte* external);
void from_external(const Signature& signature, Count count, const std::byte* external, std::byte* native);

}  // namespace ompi_lite
