// SPDX-License-Identifier: BSD-3-Clause
// The life of a datatype and the answers that need its layout.
#include "ompi_lite/core/datatype.h"

#include <utility>

#include "ompi_lite/core/layout.h"
#include "ompi_lite/core/predefined_types.h"
#include "ompi_lite/core/signature.h"

namespace ompi_lite {
namespace {

const std::shared_ptr<const TypeRecipe>& named_recipe() {
  static const auto* const recipe =
      new std::shared_ptr<const TypeRecipe>(std::make_shared<TypeRecipe>());  // never destroyed
  return *recipe;
}

const char* combiner_name(int combiner) {
  switch (combiner) {
    case MPI_COMBINER_DUP:
      return "duplicate of a type";
    case MPI_COMBINER_CONTIGUOUS:
      return "contiguous type";
    case MPI_COMBINER_VECTOR:
      return "vector type";
    case MPI_COMBINER_HVECTOR:
      return "hvector type";
    case MPI_COMBINER_INDEXED:
      return "indexed type";
    case MPI_COMBINER_HINDEXED:
      return "hindexed type";
    case MPI_COMBINER_INDEXED_BLOCK:
      return "indexed_block type";
    case MPI_COMBINER_HINDEXED_BLOCK:
      return "hindexed_block type";
    case MPI_COMBINER_STRUCT:
      return "struct type";
    case MPI_COMBINER_SUBARRAY:
      return "subarray type";
    case MPI_COMBINER_DARRAY:
      return "darray type";
    case MPI_COMBINER_RESIZED:
      return "resized type";
    case MPI_COMBINER_F90_REAL:
      return "real type of Fortran";
    case MPI_COMBINER_F90_COMPLEX:
      return "complex type of Fortran";
    case MPI_COMBINER_F90_INTEGER:
      return "integer type of Fortran";
    case MPI_COMBINER_VALUE_INDEX:
      return "value and index type";
    default:
      return "datatype";
  }
}

}  // namespace

Datatype::Datatype(std::shared_ptr<const Layout> layout, std::shared_ptr<const Signature> signature, const Bounds& bounds,
                   std::shared_ptr<const TypeRecipe> recipe)
    : Object(ObjectKind::datatype),
      size_(layout->size()),
      bounds_(bounds),
      one_block_(layout->one_block()),
      layout_(std::move(layout)),
      signature_(std::move(signature)),
      recipe_(std::move(recipe)) {
  contiguous_ = one_block_ && (size_ == 0 || size_ == extent());
}

Datatype::Datatype(const BasicType& basic, std::shared_ptr<const Layout> layout, std::shared_ptr<const Signature> signature,
                   const Bounds& bounds)
    : Object(ObjectKind::datatype, basic.handle),
      committed(true),
      size_(layout->size()),
      bounds_(bounds),
      one_block_(layout->one_block()),
      basic_(&basic),
      layout_(std::move(layout)),
      signature_(std::move(signature)),
      recipe_(named_recipe()) {
  contiguous_ = one_block_ && size_ == extent();
}

Datatype::Datatype(const Datatype& predefined_model, std::shared_ptr<const TypeRecipe> fortran_recipe)
    : Datatype(predefined_model.layout_, predefined_model.signature_, predefined_model.bounds_, std::move(fortran_recipe)) {
  basic_ = predefined_model.basic_;
  committed = predefined = true;
}

Datatype::~Datatype() = default;

const char* Datatype::name_or_combiner() const {
  if (!name.empty()) return name.c_str();
  return recipe_->combiner == MPI_COMBINER_NAMED ? basic_->name : combiner_name(recipe_->combiner);
}

const char* Datatype::how_made() const { return combiner_name(recipe_->combiner); }

void destroy(Datatype* type) {
  if (type->fortran_index >= 0) forget_int(*type);
  delete type;
}

}  // namespace ompi_lite
