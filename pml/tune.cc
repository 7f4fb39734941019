// SPDX-License-Identifier: BSD-3-Clause
// The knobs of the point-to-point layer.
#include "pml/tune.h"

namespace ompi_lite::pml {

constinit Knob<std::int64_t> eager_bytes("eager_bytes", 4096, Unit::bytes,
                                         "Messages up to this size are sent at once, without asking the receiver; at most "
                                         "64k. Not set: more where asking is slow.");

namespace {

constinit KnobBase* const list[] = {&eager_bytes};

}  // namespace

KnobGroup knobs() { return {"pml", list}; }

}  // namespace ompi_lite::pml
