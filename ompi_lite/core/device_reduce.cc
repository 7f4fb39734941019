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
template <class... Device, class... Host>
constexpr bool agree(kernels::TypeList<Device...>, kernels::TypeList<Host...>) {
  return ((std::is_void_v<Device> || std::is_same_v<Device, Host>)&&...);
}
static_assert(agree(kernels::DeviceElements(), kernels::Elements()));
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

bool reduces_near(const Op& op, const Datatype& type, const void* data, const device::Location& near) {
  const BasicType* basic = type.basic();
  const OmpiLiteDeviceOps* ops = device::operations();
  if (ops == nullptr || !device::use_kernels.value() || basic == nullptr || !has_kernel(op, *basic) ||
      !aligned(data, *basic))
    return false;
  std::array<char, 256> text{};
  OmpiLiteReason reason{text.data(), text.size()};
  const OmpiLiteReduction nothing{static_cast<int>(op.op_kind), static_cast<int>(basic->representation), data, nullptr, 0};
  return ops->reduce(&nothing, &near.facts, &reason) == 0;
}

Error reduce_near(const Op& op, const BasicType& basic, const void* in, void* inout, Count count,
                  const device::Location& near) {
  const OmpiLiteReduction what{static_cast<int>(op.op_kind), static_cast<int>(basic.representation), in, inout,
                               static_cast<std::size_t>(count)};
  std::array<char, 256> text{};
  OmpiLiteReason reason{text.data(), text.size()};
  if (device::operations()->reduce(&what, &near.facts, &reason) != 0)
    return make_error(ErrorClass::buffer, "a reduction in device memory at %p failed: %s", inout, text.data());
  device::device_counters.kernel_reductions.add(1);
  device::device_counters.kernel_bytes.add(static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(basic.size));
  return {};
}

Error reduce_on_device(Op& op, const Buffer& in, const Buffer& inout, bool& done) {
  done = false;
  if (device::operations() == nullptr || inout.type == nullptr || in.type != inout.type || inout.count <= 0) return {};
  const device::Location from = device::locate(in.data), to = device::locate(inout.data);
  if (!from.out_of_reach() || !to.out_of_reach() || from.facts.device != to.facts.device) return {};
  if (!reduces_near(op, *inout.type, in.data, to) || !reduces_near(op, *inout.type, inout.data, to)) return {};
  if (Error undefined = check_op(op, *inout.type)) return undefined;
  OL_TRY(reduce_near(op, *inout.type->basic(), in.data, inout.data, inout.count, to));
  done = true;
  return {};
}

}  // namespace ompi_lite
