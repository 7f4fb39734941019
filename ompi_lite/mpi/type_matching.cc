// SPDX-License-Identifier: BSD-3-Clause
// Datatypes chosen by size, precision or parts: MPI_Type_match_size, MPI_Type_create_f90_*, MPI_Type_get_value_index.
#include <mutex>
#include <vector>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/predefined_types.h"
#include "ompi_lite/mpi/types.h"

namespace ompi_lite::mpi {
namespace {

// What gfortran's kinds hold: selected_real_kind and selected_int_kind choose the first that suffices.
struct RealKind {
  int precision, range;
  std::uintptr_t real, complex;
};
constexpr RealKind kRealKinds[] = {{6, 37, 722, 731}, {15, 307, 730, 739}, {18, 4931, 544, 548}, {33, 4931, 738, 747}};
struct IntegerKind {
  int range;
  std::uintptr_t type;
};
constexpr IntegerKind kIntegerKinds[] = {{2, 705}, {4, 713}, {9, 721}, {18, 729}, {38, 737}};

// The same arguments must give the same type (MPI 5.0, section 19.1.9), which nobody may free.
struct FortranType {
  int combiner, precision, range;
  Datatype* type;
};

Datatype& fortran_type(int combiner, int precision, int range, std::uintptr_t like) {
  static constinit std::mutex mutex;
  static constinit std::vector<FortranType>* made = nullptr;  // never destroyed
  std::lock_guard lock(mutex);
  if (made == nullptr) made = new std::vector<FortranType>();
  for (const FortranType& one : *made) {
    if (one.combiner == combiner && one.precision == precision && one.range == range) return *one.type;
  }
  auto recipe = std::make_shared<TypeRecipe>();
  recipe->combiner = combiner;
  if (combiner != MPI_COMBINER_F90_INTEGER) recipe->integers.push_back(precision);
  recipe->integers.push_back(range);
  auto& model = *static_cast<Datatype*>(predefined_objects[like]);
  auto* type = new Datatype(model, std::move(recipe));
  made->push_back({combiner, precision, range, type});
  return *type;
}

Error real_kind(int precision, int range, const RealKind*& kind) {
  const bool no_precision = precision == MPI_UNDEFINED, no_range = range == MPI_UNDEFINED;
  for (const RealKind& one : kRealKinds) {
    kind = &one;
    if (!(no_precision && no_range) && (no_precision || precision <= one.precision) && (no_range || range <= one.range))
      return {};
  }
  return make_error(ErrorClass::arg, "there is no kind of real with precision %d and range %d", precision, range);
}

}  // namespace

Error type_create_f90_integer(int range, Datatype*& new_type) {
  for (const IntegerKind& kind : kIntegerKinds) {
    if (range > kind.range) continue;
    new_type = &fortran_type(MPI_COMBINER_F90_INTEGER, 0, range, kind.type);
    return {};
  }
  return make_error(ErrorClass::arg, "there is no kind of integer with range %d", range);
}

Error type_create_f90_real(int precision, int range, Datatype*& new_type) {
  const RealKind* kind = nullptr;
  OL_TRY(real_kind(precision, range, kind));
  new_type = &fortran_type(MPI_COMBINER_F90_REAL, precision, range, kind->real);
  return {};
}

Error type_create_f90_complex(int precision, int range, Datatype*& new_type) {
  const RealKind* kind = nullptr;
  OL_TRY(real_kind(precision, range, kind));
  new_type = &fortran_type(MPI_COMBINER_F90_COMPLEX, precision, range, kind->complex);
  return {};
}

Error type_match_size(int type_class, int size, Datatype*& type) {
  BasicKind wanted;
  switch (type_class) {
    case MPI_TYPECLASS_INTEGER:
      wanted = BasicKind::fortran_integer;
      break;
    case MPI_TYPECLASS_REAL:
      wanted = BasicKind::floating;
      break;
    case MPI_TYPECLASS_COMPLEX:
      wanted = BasicKind::complex;
      break;
    default:
      return make_error(ErrorClass::arg, "typeclass %d is none of MPI_TYPECLASS_INTEGER, _REAL, _COMPLEX", type_class);
  }
  constexpr std::uintptr_t kFirstSized = 704;  // MPI_LOGICAL1; the types with a size in their name follow
  for (const BasicType& basic : basic_types()) {
    if (basic.handle < kFirstSized || basic.kind != wanted || basic.size != size) continue;
    type = static_cast<Datatype*>(predefined_objects[basic.handle]);
    return {};
  }
  return make_error(ErrorClass::arg, "there is no type of that class with %d bytes", size);
}

Error type_get_value_index(Datatype& value_type, Datatype& index_type, Datatype*& pair_type) {
  pair_type = nullptr;
  for (const BasicType& basic : basic_types()) {
    if (basic.kind != BasicKind::pair || basic.first != value_type.abi_handle || basic.second != index_type.abi_handle)
      continue;
    pair_type = static_cast<Datatype*>(predefined_objects[basic.handle]);
  }
  return {};
}

}  // namespace ompi_lite::mpi
