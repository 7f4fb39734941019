// SPDX-License-Identifier: BSD-3-Clause
// A bell for those who sleep in a poll, where nobody can wake them through memory.
#pragma once

#include <cstdint>

#include "ompi_lite/base/os.h"

namespace ompi_lite::os {

// A datagram socket of this process under a name that other processes of the host can write to: Linux's abstract names, so
// nothing is left in the file system. Processes in another network namespace do not find it.
struct Bell {
  Fd fd;                   // readable when it has been rung; none: it could not be had
  std::uint64_t name = 0;  // not 0 if there is one
};
Bell make_bell();
// Does not block; nothing happens if there is no such bell (any more).
void ring_bell(std::uint64_t name);
// Makes it wait for the next ring.
void silence_bell(int fd);

}  // namespace ompi_lite::os
