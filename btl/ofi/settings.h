// SPDX-License-Identifier: BSD-3-Clause
// The knobs of btl/ofi, for its own sources.
#pragma once

#include "ompi_lite/base/knob.h"

namespace ompi_lite::btl::ofi {

extern constinit Knob<const char*> wanted_providers, unwanted_providers, wanted_domains;
extern constinit Knob<double> connect_timeout, lost_time;

}  // namespace ompi_lite::btl::ofi
