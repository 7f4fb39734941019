// SPDX-License-Identifier: BSD-3-Clause
// Frames over libfabric: verbs, EFA, Slingshot, Omni-Path and whatever else it has providers for. Whether there is anything
// to use, and by which settings; all of it is here in a build without libfabric, too, whose make() says so.
#pragma once

#include <memory>
#include <string_view>

#include "btl/btl.h"
#include "ompi_lite/base/knob.h"

namespace ompi_lite::btl::ofi {

// libfabric is dear to open (it loads all providers and what they hang on), so it is opened only where that may be of use.
enum class Use {
  no,
  if_better,  // the machine has a fabric; sockets are left to btl/tcp
  as_asked,   // by the user: any provider, and an error if there is none
};
Use use(bool tcp_is_there);

// Null where use_it is if_better and nothing is.
Result<std::unique_ptr<Transport>> make(const Setup& setup, Use use_it);

// The first name of the list that is the provider's or one of its layers': "tcp" and "tcp;ofi_rxm" both name tcp;ofi_rxm.
// Where it stands in the list, -1: not in it.
int place_in(std::string_view list, std::string_view provider);

KnobGroup knobs();

}  // namespace ompi_lite::btl::ofi
