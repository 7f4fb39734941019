// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the plugin, run by the host: the same source.
#pragma once

#include <cstddef>
#include <functional>

namespace fake {

// What stands for a fatbin here.
inline constexpr char kImage[] = "pretended kernels";

// Takes the arguments when it is launched, as the driver does, and gives the work. `reach` gives the device's address.
using Reach = std::function<void*(const void*, std::size_t)>;
using Kernel = std::function<int()> (*)(void** arguments, Reach reach);
Kernel find_kernel(const char* name);

}  // namespace fake
