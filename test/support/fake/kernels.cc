// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the plugin as host code: a few threads, one after the other.
#include "test/support/fake/kernels.h"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "ompi_lite/core/reduce_on_device.h"
#include "ompi_lite/device/copy_on_device.h"
#include "ompi_lite/device/cuda/kernels.h"

namespace fake {
namespace {

constexpr std::uint64_t kThreads = 3;
constexpr int kIllegalAddress = 700;

template <class T>
T value(void* argument) {
  T copy;
  std::memcpy(&copy, argument, sizeof copy);
  return copy;
}

std::function<int()> launch_reduce(void** arguments, Reach reach) {
  const int op = value<int>(arguments[0]), element = value<int>(arguments[1]);
  const void* in = value<const void*>(arguments[2]);
  void* inout = value<void*>(arguments[3]);
  const std::uint64_t count = value<unsigned long long>(arguments[4]);
  return [=] {
    const void* from = reach(in, count);
    void* to = reach(inout, count);
    if (from == nullptr || to == nullptr) return kIllegalAddress;
    for (std::uint64_t thread = 0; thread < kThreads; ++thread)
      ompi_lite::kernels::reduce_on_device(op, element, {from, to, thread, kThreads, count});
    return 0;
  };
}

std::function<int()> launch_copy(void** arguments, Reach reach) {
  const auto lot = value<ompi_lite::kernels::CopyLot>(arguments[0]);
  return [=] {
    for (std::size_t i = 0; i < lot.count; ++i) {
      OmpiLiteCopy copy = lot.list[i];
      copy.to = reach(copy.to, (copy.rows - 1) * copy.to_pitch + copy.bytes);
      copy.from = reach(copy.from, (copy.rows - 1) * copy.from_pitch + copy.bytes);
      if (copy.to == nullptr || copy.from == nullptr) return kIllegalAddress;
      for (std::uint64_t thread = 0; thread < kThreads; ++thread) ompi_lite::kernels::copy_on_device(copy, thread, kThreads);
    }
    return 0;
  };
}

}  // namespace

Kernel find_kernel(const char* name) {
  if (std::string_view(name) == ompi_lite::cuda::kReduceKernel) return launch_reduce;
  return std::string_view(name) == ompi_lite::cuda::kCopyKernel ? launch_copy : nullptr;
}

}  // namespace fake
