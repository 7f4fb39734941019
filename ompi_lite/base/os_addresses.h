// SPDX-License-Identifier: BSD-3-Clause
// What the operating system knows of addresses and files: who may be there, who can be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ompi_lite::os {

// Addresses that belong to the program for as long as it runs: its own data and the heap behind them, the main thread's
// stack. Cheap but for the first time.
struct OwnAddresses {
  std::uintptr_t program_begin = 0, heap_end = 0;
  std::uintptr_t stack_begin = 0, stack_end = 0;
};
OwnAddresses own_addresses();

std::size_t page_bytes();
// The byte at this address can be read. Costs a system call.
bool is_readable(const void* address);
bool exists(const char* path);
// A library of this name is in the process already.
bool is_loaded(const char* library);
// The folder of the library or program to which the address belongs.
std::string folder_of(const void* address);

}  // namespace ompi_lite::os
