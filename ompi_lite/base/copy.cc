// SPDX-License-Identifier: BSD-3-Clause
// Chooses the copy kernel: by measuring, once, when the first large copy asks for it.
#include "ompi_lite/base/copy.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/log.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/base/os.h"

namespace ompi_lite {

namespace {

void choose_and_copy(void* to, const void* from, std::size_t bytes);

constinit std::atomic<os::CopyKernel> kernel{choose_and_copy};

// Best of a few rounds: what disturbs a round can only make it longer.
std::int64_t nanoseconds(os::CopyKernel candidate, std::byte* to, const std::byte* from, std::size_t bytes) {
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round < 6; ++round) {
    std::int64_t start = now_ns();
    candidate(to, from, bytes);
    candidate(to, from, bytes);
    best = std::min(best, now_ns() - start);
  }
  return best;
}

// The widest registers are not the fastest everywhere; a difference below a tenth goes to the narrower ones, which cost no
// clock rate.
os::CopyKernel fastest() {
  constexpr std::size_t kBytes = 16 << 10;
  auto memory = std::make_unique<std::byte[]>(2 * kBytes + 256);
  std::byte* to = memory.get() + 16;  // as large blocks of malloc lie
  const std::byte* from = memory.get() + kBytes + 128;
  os::CopyKernel best = os::copy_kernel_128();
  std::int64_t best_ns = nanoseconds(best, to, from, kBytes);
  for (os::CopyKernel candidate : {os::copy_kernel_256(), os::copy_kernel_512()}) {
    if (!candidate) continue;
    std::int64_t ns = nanoseconds(candidate, to, from, kBytes);
    if (ns < best_ns - best_ns / 10) {
      best = candidate;
      best_ns = ns;
    }
  }
  return best;
}

[[gnu::cold]] void choose_and_copy(void* to, const void* from, std::size_t bytes) {
  os::CopyKernel best = fastest();
  kernel.store(best, std::memory_order_relaxed);  // any thread's choice is as good
  OL_LOG(debug, "copies use %s", copy_kernel_name());
  best(to, from, bytes);
}

}  // namespace

void copy_large(void* to, const void* from, std::size_t bytes) {
  kernel.load(std::memory_order_relaxed)(to, from, bytes);  // relaxed: a pointer to code, nothing is published with it
}

const char* copy_kernel_name() {
  os::CopyKernel now = kernel.load(std::memory_order_relaxed);
  if (now == choose_and_copy) now = fastest();
  if (now == os::copy_kernel_512()) return "512 bit registers";
  if (now == os::copy_kernel_256()) return "256 bit registers";
  return "128 bit registers";
}

}  // namespace ompi_lite
