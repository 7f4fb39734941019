// SPDX-License-Identifier: BSD-3-Clause
// Which reductions go to the device.
#include "ompi_lite/core/device_reduce.h"

#include <array>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/pack.h"
#include "ompi_lite/core/predefined_types.h"
#include "ompi_lite/core/reduce_on_device.h"
#include "ompi_lite/device/device_set.h"

namespace ompi_lite {
namespace {

// The numbers in reduce_on_device.h, which the compiler for devices reads without our tables.
template <int number, class T>
constexpr bool kNumbered = std::is_same_v<typename kernels::DeviceElement<number>::Type, T>;
template <class T, Representation representation>
constexpr bool kIs = kNumbered<static_cast<int>(representation), T>;
static_assert(kIs<std::int8_t, Representation::int8> && kIs<std::int16_t, Representation::int16> &&
              kIs<std::int32_t, Representation::int32> && kIs<std::int64_t, Representation::int64>);
static_assert(kIs<std::uint8_t, Representation::uint8> && kIs<std::uint16_t, Representation::uint16> &&
              kIs<std::uint32_t, Representation::uint32> && kIs<std::uint64_t, Representation::uint64>);
static_assert(kIs<kernels::Half, Representation::float16> && kIs<float, Representation::float32> &&
              kIs<double, Representation::float64> && kIs<kernels::Brain, Representation::bfloat16>);
static_assert(kIs<kernels::Complex<kernels::Half>, Representation::complex16x2> &&
              kIs<kernels::Complex<float>, Representation::complex32x2> &&
              kIs<kernels::Complex<double>, Representation::complex64x2>);
static_assert(kIs<kernels::Located<float, int>, Representation::pair_float_int> &&
              kIs<kernels::Located<double, int>, Representation::pair_double_int> &&
              kIs<kernels::Located<long, int>, Representation::pair_long_int> &&
              kIs<kernels::Located<int, int>, Representation::pair_int_int> &&
              kIs<kernels::Located<short, int>, Representation::pair_short_int> &&
              kIs<kernels::Located<float, float>, Representation::pair_float_float> &&
              kIs<kernels::Located<double, double>, Representation::pair_double_double>);
static_assert(static_cast<int>(Representation::count_of_them) == kernels::kDeviceElements);
static_assert(static_cast<int>(OpKind::sum) == 0 && static_cast<int>(OpKind::min) == 1 &&
              static_cast<int>(OpKind::max) == 2 && static_cast<int>(OpKind::prod) == 3 &&
              static_cast<int>(OpKind::band) == 4 && static_cast<int>(OpKind::bor) == 5 &&
              static_cast<int>(OpKind::bxor) == 6 && static_cast<int>(OpKind::land) == 7 &&
              static_cast<int>(OpKind::lor) == 8 && static_cast<int>(OpKind::lxor) == 9 &&
              static_cast<int>(OpKind::minloc) == 10 && static_cast<int>(OpKind::maxloc) == 11);

bool has_kernel(const Op& op, const BasicType& basic) {
  return kernels::reduce_on_device(static_cast<int>(op.op_kind), static_cast<int>(basic.representation),
                                   {nullptr, nullptr, 0, 1, 0});
}

bool aligned(const void* address, const BasicType& basic) {
  return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(basic.alignment) == 0;
}

}  // namespace

Error reduce_on_device(Op& op, const Buffer& in, const Buffer& inout, bool& done) {
  done = false;
  const BasicType* basic = inout.type == nullptr ? nullptr : inout.type->basic();
  const OmpiLiteDeviceOps* ops = device::operations();
  if (ops == nullptr || !device::use_kernels.value() || basic == nullptr || in.type != inout.type || inout.count <= 0)
    return {};
  if (!has_kernel(op, *basic) || !aligned(in.data, *basic) || !aligned(inout.data, *basic)) return {};
  if (Error undefined = check_op(op, *inout.type)) return undefined;
  const device::Location from = device::locate(in.data), to = device::locate(inout.data);
  if (!from.out_of_reach() || !to.out_of_reach() || from.facts.device != to.facts.device) return {};
  const OmpiLiteReduction what{static_cast<int>(op.op_kind), static_cast<int>(basic->representation), in.data, inout.data,
                               static_cast<std::size_t>(inout.count)};
  std::array<char, 256> text{};
  OmpiLiteReason reason{text.data(), text.size()};
  const int result = ops->reduce(&what, &to.facts, &reason);
  if (result > 0) return {};
  if (result < 0)
    return make_error(ErrorClass::buffer, "a reduction in device memory at %p failed: %s", inout.data, text.data());
  device::device_counters.kernel_reductions.add(1);
  device::device_counters.kernel_bytes.add(static_cast<std::uint64_t>(pack_size(inout)));
  done = true;
  return {};
}

}  // namespace ompi_lite
