// SPDX-License-Identifier: BSD-3-Clause
// The kernels for AVX2 and AVX-512: the same loops, in functions that may use these instructions.
#include <cpuid.h>
#include <immintrin.h>

#include "ompi_lite/core/op_kernels_wide.h"
#include "ompi_lite/core/op_loops.h"

namespace ompi_lite::kernels {

namespace {

// IEEE binary16, eight at a time. The instructions convert as `widened` and `narrowed` do, bit by bit.
template <class Operation>
[[gnu::target("avx2,f16c")]] inline __m128i eight_halves(__m128i a, __m128i b) {
  const __m256 x = _mm256_cvtph_ps(a), y = _mm256_cvtph_ps(b);
  if constexpr (std::is_same_v<Operation, Sum>) {
    return _mm256_cvtps_ph(_mm256_add_ps(x, y), _MM_FROUND_TO_NEAREST_INT);
  } else if constexpr (std::is_same_v<Operation, Prod>) {
    return _mm256_cvtps_ph(_mm256_mul_ps(x, y), _MM_FROUND_TO_NEAREST_INT);
  } else {
    constexpr int kOrder = std::is_same_v<Operation, Max> ? _CMP_GT_OQ : _CMP_LT_OQ;
    const __m256i first = _mm256_castps_si256(_mm256_cmp_ps(x, y, kOrder));
    const __m128i mask = _mm_packs_epi32(_mm256_castsi256_si128(first), _mm256_extracti128_si256(first, 1));
    return _mm_blendv_epi8(b, a, mask);
  }
}

template <class Operation>
[[gnu::target("avx2,f16c")]] void halves(const void* a, const void* b, void* out, Count n) {
  const auto at = [](const void* base, Count i) {
    return reinterpret_cast<__m128i*>(const_cast<char*>(static_cast<const char*>(base)) + 2 * i);
  };
  Count i = 0;
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(at(out, i), eight_halves<Operation>(_mm_loadu_si128(at(a, i)), _mm_loadu_si128(at(b, i))));
  for (; i < n; ++i) store<Half>(out, i, Operation::apply(load<Half>(a, i), load<Half>(b, i)));
}

// Few elements are not worth waking wide registers for, and the loops of narrow ones start faster.
constexpr Count kFewBytes = 256;
template <class T>
constexpr Count kFew = kFewBytes / static_cast<Count>(sizeof(T));
template <class Operation, class T>
[[gnu::noinline]] void few(const void* a, const void* b, void* out, Count n) {
  run<Operation, T>(a, b, out, n);
}

struct Avx2 {
  template <class Operation, class T>
  [[gnu::target("avx2,f16c")]] static void two(const void* __restrict in, void* __restrict inout, Count n) {
    if (n <= kFew<T>) return few<Operation, T>(in, inout, inout, n);
    run<Operation, T>(in, inout, inout, n);
  }
  template <class Operation, class T>
  [[gnu::target("avx2,f16c")]] static void three(const void* __restrict a, const void* __restrict b, void* __restrict out,
                                                 Count n) {
    if (n <= kFew<T>) return few<Operation, T>(a, b, out, n);
    run<Operation, T>(a, b, out, n);
  }
};

struct Avx512 {
  template <class Operation, class T>
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] static void two(const void* __restrict in, void* __restrict inout,
                                                                        Count n) {
    if (n <= kFew<T>) return few<Operation, T>(in, inout, inout, n);
    run<Operation, T>(in, inout, inout, n);
  }
  template <class Operation, class T>
  [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] static void three(const void* __restrict a, const void* __restrict b,
                                                                          void* __restrict out, Count n) {
    if (n <= kFew<T>) return few<Operation, T>(a, b, out, n);
    run<Operation, T>(a, b, out, n);
  }
};

template <class Operation>
constexpr Kernel half_kernel() {
  return {[](const void* in, void* inout, Count n) { halves<Operation>(in, inout, inout, n); }, &halves<Operation>};
}
constexpr Kernel half_sum() {
  return {[](const void* in, void* inout, Count n) { halves<Sum>(in, inout, inout, 2 * n); },
          [](const void* a, const void* b, void* out, Count n) { halves<Sum>(a, b, out, 2 * n); }};
}

template <class Instructions>
constexpr KernelTable with_halves() {
  KernelTable table = table_of<Instructions>();
  const auto set = [&](OpKind op, Representation representation, Kernel kernel) {
    table[static_cast<std::size_t>(op)][static_cast<std::size_t>(representation)] = kernel;
  };
  set(OpKind::sum, Representation::float16, half_kernel<Sum>());
  set(OpKind::prod, Representation::float16, half_kernel<Prod>());
  set(OpKind::min, Representation::float16, half_kernel<Min>());
  set(OpKind::max, Representation::float16, half_kernel<Max>());
  set(OpKind::sum, Representation::complex16x2, half_sum());
  return table;
}

// Where AVX-512 is allowed gcc 12 fuses products of complex numbers with their sums, whatever it is told; nor are they
// faster.
constexpr KernelTable with_separate_products(KernelTable table, const KernelTable& of) {
  for (const Representation r : {Representation::complex32x2, Representation::complex64x2}) {
    const auto op = static_cast<std::size_t>(OpKind::prod), i = static_cast<std::size_t>(r);
    table[op][i] = of[op][i];
  }
  return table;
}

constexpr KernelTable kAvx2 = with_halves<Avx2>();
constexpr KernelTable kAvx512 = with_separate_products(with_halves<Avx512>(), kAvx2);
constexpr KernelSet kSets[] = {{"avx2", &kAvx2}, {"avx512", &kAvx512}};

}  // namespace

std::span<const KernelSet> wide_sets() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  const bool converts_halves = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
  if (!__builtin_cpu_supports("avx2") || !converts_halves) return {};
  const bool all = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return std::span(kSets).first(all ? 2 : 1);
}

}  // namespace ompi_lite::kernels
