// SPDX-License-Identifier: BSD-3-Clause
// Reduction operations: predefined ones through a table of kernels, the application's own through its callback.
#pragma once

#include "ompi_lite/base/error.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/core/handle.h"
#include "ompi_lite/core/object.h"

namespace ompi_lite {

// In the order of the kernel table; `user` has no row there.
enum class OpKind : std::uint8_t {
  sum,
  min,
  max,
  prod,
  band,
  bor,
  bxor,
  land,
  lor,
  lxor,
  minloc,
  maxloc,
  replace,
  no_op,
  user
};

// How the application's function takes its count.
enum class OpForm : std::uint8_t { count_int, count_large };  // MPI_User_function, MPI_User_function_c

// Counted: the application's handle and each pending operation that uses it. Immutable.
class Op : public Object {
 public:
  Op(OpKind kind_of_op, std::uintptr_t predefined_handle, const char* predefined_name)
      : Object(ObjectKind::op, predefined_handle), op_kind(kind_of_op), name(predefined_name) {}
  Op(Callback user_function, OpForm user_form, bool is_commutative)
      : Object(ObjectKind::op),
        op_kind(OpKind::user),
        form(user_form),
        commutative(is_commutative),
        callback(user_function) {}

  const OpKind op_kind;
  const OpForm form = OpForm::count_int;
  const bool commutative = true;
  const Callback callback;
  const char* const name = "user-defined operation";
};

void destroy(Op* op);

inline Op& op_of(MPI_Op handle) { return *static_cast<Op*>(object_of(reinterpret_cast<std::uintptr_t>(handle))); }

// MPI_ERR_OP, naming both, if a predefined op is not defined for the type (MPI 5.0, section 6.9.2). User ops take any type.
Error check_op(const Op& op, const Datatype& type);

// Kernels of predefined ops on predefined types. Buffers may have any alignment.
struct Kernel {
  using TwoBuffers = void (*)(const void* in, void* inout, Count n);                // inout = in op inout, no overlap
  using ThreeBuffers = void (*)(const void* a, const void* b, void* out, Count n);  // out = a op b, no overlap
  TwoBuffers two = nullptr;
  ThreeBuffers three = nullptr;
  explicit operator bool() const { return two != nullptr; }
};
Kernel kernel_for(const Op& op, const Datatype& type);  // empty for user ops, derived types and pairs that do not fit

// inout = in op inout, n elements: `in` comes from the lower ranks (MPI 5.0, section 6.9.5). Addresses are those that a call
// names, the data begins at address + true_lb. The buffers do not overlap. The pair must have passed check_op.
Error reduce(Op& op, Datatype& type, const void* in, void* inout, Count n);
// out = a op b. Without overlap between out and the others.
Error reduce3(Op& op, Datatype& type, const void* a, const void* b, void* out, Count n);

// Fills predefined_objects with the predefined ops; later calls do nothing.
void define_predefined_ops();

}  // namespace ompi_lite
