// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the predefined reductions for any processor of the architecture, and the choice among the sets of kernels.
#include "ompi_lite/core/op_kernels.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "ompi_lite/base/clock.h"
#include "ompi_lite/base/log.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/op_kernels_wide.h"
#include "ompi_lite/core/op_loops.h"

namespace ompi_lite {

constinit Knob<const char*> reduction_kernels("reduction_kernels", "automatic", Unit::none,
                                              "Instructions that predefined reductions use: automatic (measured), plain, or "
                                              "avx2, avx512 where the processor has them. "
                                              "The results are the same, bit by bit.");

namespace {

struct Plain {
  template <class Operation, class T>
  static void two(const void* __restrict in, void* __restrict inout, Count n) {
    kernels::run<Operation, T>(in, inout, inout, n);
  }
  template <class Operation, class T>
  static void three(const void* __restrict a, const void* __restrict b, void* __restrict out, Count n) {
    kernels::run<Operation, T>(a, b, out, n);
  }
};
constexpr KernelTable kPlain = kernels::table_of<Plain>();

struct Sets {
  std::array<KernelSet, 3> all{{{"plain", &kPlain}}};
  std::size_t n = 1;
  Sets() {
    for (const KernelSet& set : kernels::wide_sets()) all[n++] = set;
  }
};
constinit std::atomic<const KernelSet*> in_use{nullptr};

// Best of some rounds of a sum in the first cache; what disturbs a round can only make it longer. The first rounds also wake
// the upper halves of the registers.
std::int64_t nanoseconds(const KernelSet& set) {
  constexpr Count kElements = 1024;
  constexpr int kRounds = 40;
  alignas(64) float a[kElements], b[kElements];
  std::fill_n(a, kElements, 1.0F);
  std::fill_n(b, kElements, 0.0F);
  const Kernel kernel =
      (*set.table)[static_cast<std::size_t>(OpKind::sum)][static_cast<std::size_t>(Representation::float32)];
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t start = now_ns();
    for (int turn = 0; turn < 4; ++turn) kernel.two(a, b, kElements);
    least = std::min(least, now_ns() - start);
  }
  return least;
}

// Wider registers have to be faster by a tenth: they may cost clock rate.
const KernelSet& fastest() {
  const KernelSet* best = nullptr;
  std::int64_t least = 0;
  for (const KernelSet& set : kernel_sets()) {
    const std::int64_t time = nanoseconds(set);
    if (best != nullptr && time >= least - least / 10) continue;
    best = &set;
    least = time;
  }
  return *best;
}

const KernelSet* named(std::string_view name) {
  const auto sets = kernel_sets();
  const auto found = std::ranges::find(sets, name, &KernelSet::name);
  return found == sets.end() ? nullptr : &*found;
}

[[gnu::cold, gnu::noinline]] const KernelSet& choose() {
  const KernelSet* wanted = named(reduction_kernels.value());
  const KernelSet& set = wanted != nullptr ? *wanted : fastest();
  in_use.store(&set, std::memory_order_relaxed);  // any thread's choice is as good; what it points to never changes
  OL_LOG(debug, "reductions use the %s kernels", set.name);
  return set;
}

// Elements as bytes.
template <std::size_t bytes>
void copy_first(const void* a, const void*, void* out, Count n) {
  std::memcpy(out, a, static_cast<std::size_t>(n) * bytes);
}
template <std::size_t bytes>
void copy_second(const void*, const void* b, void* out, Count n) {
  std::memcpy(out, b, static_cast<std::size_t>(n) * bytes);
}
template <std::size_t bytes>
constexpr Kernel kReplace = {[](const void* in, void* inout, Count n) { copy_first<bytes>(in, nullptr, inout, n); },
                             &copy_first<bytes>};
template <std::size_t bytes>
constexpr Kernel kNoOp = {[](const void*, void*, Count) {}, &copy_second<bytes>};

}  // namespace

std::span<const KernelSet> kernel_sets() {
  static const Sets sets;
  return std::span(sets.all).first(sets.n);
}

const KernelSet& kernel_set_in_use() {
  const KernelSet* set = in_use.load(std::memory_order_relaxed);  // partner: choose; nothing else is published with it
  return set != nullptr ? *set : choose();
}

Error check_reduction_kernels() {
  const std::string_view name = reduction_kernels.value();
  if (name == "automatic" || named(name) != nullptr) return {};
  std::string known = "automatic";
  for (const KernelSet& set : kernel_sets()) known += std::string(", ") + set.name;
  return make_error(ErrorClass::arg, "reduction_kernels: \"%s\" is none that this processor has; known are %s",
                    reduction_kernels.value(), known.c_str());
}

Kernel arithmetic_kernel(OpKind op, Representation representation) {
  return (*kernel_set_in_use().table)[static_cast<std::size_t>(op)][static_cast<std::size_t>(representation)];
}

Kernel replace_kernel(int extent) {
  switch (extent) {
    case 1:
      return kReplace<1>;
    case 2:
      return kReplace<2>;
    case 4:
      return kReplace<4>;
    case 8:
      return kReplace<8>;
    case 16:
      return kReplace<16>;
    case 32:
      return kReplace<32>;
    default:
      return {};
  }
}

Kernel no_op_kernel(int extent) {
  switch (extent) {
    case 1:
      return kNoOp<1>;
    case 2:
      return kNoOp<2>;
    case 4:
      return kNoOp<4>;
    case 8:
      return kNoOp<8>;
    case 16:
      return kNoOp<16>;
    case 32:
      return kNoOp<32>;
    default:
      return {};
  }
}

}  // namespace ompi_lite
