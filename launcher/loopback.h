// SPDX-License-Identifier: BSD-3-Clause
// PMIx speaks over the loopback interface. This sees to it that there is one.
#pragma once

#include "launcher/failure.h"

namespace ompi_lite::launcher {

// Nothing to do on nearly every machine. Where no interface at all is up (a bare network namespace), the job gets a network
// of its own with nothing but lo in it, if we may: nobody loses a connection by it. Call while there is one thread.
MaybeFailure ensure_loopback();

}  // namespace ompi_lite::launcher
