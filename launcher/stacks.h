// SPDX-License-Identifier: BSD-3-Clause
// What a hung rank is doing, as gdb sees it.
#pragma once

#include <sys/types.h>

#include <string>

namespace ompi_lite::launcher {

// The stacks of all threads of all processes of a group; a sentence where gdb is missing or takes too long.
std::string stacks_of_group(pid_t leader);

}  // namespace ompi_lite::launcher
