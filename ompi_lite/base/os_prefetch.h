// SPDX-License-Identifier: BSD-3-Clause
// Asking for lines ahead, with the intention to write them.
#pragma once

namespace ompi_lite::os {

// Fetches the line for writing. The compiler's builtin gives an instruction that fetches it for reading, unless it is told
// of a newer processor: then the store still has to take it from the others. Every x86-64 processor knows this one, if only
// as one that does nothing.
inline void claim_line(const void* address) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1, 3);
#endif
}

}  // namespace ompi_lite::os
