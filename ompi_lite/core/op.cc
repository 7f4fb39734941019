// SPDX-License-Identifier: BSD-3-Clause
// Which operation is defined for which type, and how one is applied.
#include "ompi_lite/core/op.h"

#include <algorithm>
#include <array>
#include <limits>
#include <mutex>
#include <new>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/op_kernels.h"
#include "ompi_lite/core/pack.h"
#include "ompi_lite/core/predefined_types.h"

namespace ompi_lite {
namespace {

struct PredefinedOp {
  OpKind kind;
  std::uintptr_t handle;
  const char* name;
};

constexpr PredefinedOp kOps[] = {
    {OpKind::sum, 33, "MPI_SUM"},         {OpKind::min, 34, "MPI_MIN"},       {OpKind::max, 35, "MPI_MAX"},
    {OpKind::prod, 36, "MPI_PROD"},       {OpKind::band, 40, "MPI_BAND"},     {OpKind::bor, 41, "MPI_BOR"},
    {OpKind::bxor, 42, "MPI_BXOR"},       {OpKind::land, 48, "MPI_LAND"},     {OpKind::lor, 49, "MPI_LOR"},
    {OpKind::lxor, 50, "MPI_LXOR"},       {OpKind::minloc, 56, "MPI_MINLOC"}, {OpKind::maxloc, 57, "MPI_MAXLOC"},
    {OpKind::replace, 60, "MPI_REPLACE"}, {OpKind::no_op, 61, "MPI_NO_OP"},
};
constexpr std::size_t kOpCount = std::size(kOps);

alignas(Op) constinit std::byte storage[kOpCount * sizeof(Op)] = {};

constexpr unsigned bit(BasicKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned kIntegers = bit(BasicKind::integer) | bit(BasicKind::fortran_integer) | bit(BasicKind::address);
constexpr unsigned kNumbers = kIntegers | bit(BasicKind::floating);

// MPI 5.0, section 6.9.2: the kinds of types for which each operation is defined. Logical operations on addresses, offsets and
// counts, which are integers of C, are not listed there; other libraries allow them and programs use them.
constexpr unsigned kinds_of(OpKind op) {
  switch (op) {
    case OpKind::sum:
    case OpKind::prod:
      return kNumbers | bit(BasicKind::complex);
    case OpKind::min:
    case OpKind::max:
      return kNumbers;
    case OpKind::band:
    case OpKind::bor:
    case OpKind::bxor:
      return kIntegers | bit(BasicKind::byte);
    case OpKind::land:
    case OpKind::lor:
    case OpKind::lxor:
      return bit(BasicKind::integer) | bit(BasicKind::address) | bit(BasicKind::logical);
    case OpKind::minloc:
    case OpKind::maxloc:
      return bit(BasicKind::pair);
    default:
      return ~0U;
  }
}

bool defined(OpKind op, const BasicType& basic) { return (kinds_of(op) & bit(basic.kind)) != 0; }

// The application's function, in steps that its count can express.
template <class Length, class... Context>
void call_user(void (*function)(void*, void*, Length*, MPI_Datatype*, Context...), Datatype& type, const void* in,
               void* inout, Count n, Context... context) {
  const Count most = std::numeric_limits<Length>::max();
  auto* from = static_cast<std::byte*>(const_cast<void*>(in));
  auto* to = static_cast<std::byte*>(inout);
  while (n > 0) {
    auto length = static_cast<Length>(std::min(n, most));
    const Count step = length;
    MPI_Datatype handle = type.handle();
    function(from, to, &length, &handle, context...);
    from += step * type.extent();
    to += step * type.extent();
    n -= step;
  }
}

template <class Length>
void call_user(const Callback& callback, Datatype& type, const void* in, void* inout, Count n) {
  if (callback.context == nullptr) {
    using Function = void (*)(void*, void*, Length*, MPI_Datatype*);
    call_user<Length>(reinterpret_cast<Function>(callback.function), type, in, inout, n);
  } else {
    using Function = void (*)(void*, void*, Length*, MPI_Datatype*, void*);
    call_user<Length, void*>(reinterpret_cast<Function>(callback.function), type, in, inout, n, callback.context);
  }
}

}  // namespace

void destroy(Op* op) {
  if (op->fortran_index >= 0) forget_int(*op);
  delete op;
}

Error check_op(const Op& op, const Datatype& type) {
  if (op.op_kind == OpKind::user) return {};
  const BasicType* basic = type.basic();
  if (basic != nullptr && defined(op.op_kind, *basic)) return {};
  return make_error(ErrorClass::op, "%s is not defined for the datatype %s", op.name, type.name_or_combiner());
}

Kernel kernel_for(const Op& op, const Datatype& type) {
  const BasicType* basic = type.basic();
  if (op.op_kind == OpKind::user || basic == nullptr || !defined(op.op_kind, *basic)) return {};
  if (op.op_kind == OpKind::replace) return replace_kernel(basic->extent);
  if (op.op_kind == OpKind::no_op) return no_op_kernel(basic->extent);
  return arithmetic_kernel(op.op_kind, basic->representation);
}

Error reduce(Op& op, Datatype& type, const void* in, void* inout, Count n) {
  if (op.op_kind != OpKind::user) {
    const Kernel kernel = kernel_for(op, type);
    if (!kernel) return check_op(op, type);
    kernel.two(in, inout, n);
  } else if (op.form == OpForm::count_int) {
    call_user<int>(op.callback, type, in, inout, n);
  } else {
    call_user<MPI_Count>(op.callback, type, in, inout, n);
  }
  return {};
}

Error reduce3(Op& op, Datatype& type, const void* a, const void* b, void* out, Count n) {
  if (const Kernel kernel = kernel_for(op, type)) {
    kernel.three(a, b, out, n);
    return {};
  }
  OL_TRY(copy_typed(Buffer(b, n, &type), Buffer(out, n, &type)));
  return reduce(op, type, a, out, n);
}

void define_predefined_ops() {
  static std::once_flag once;
  std::call_once(once, [] {
    std::byte* place = storage;
    for (const PredefinedOp& op : kOps) {
      predefined_objects[op.handle] = new (place) Op(op.kind, op.handle, op.name);
      place += sizeof(Op);
    }
  });
}

}  // namespace ompi_lite
