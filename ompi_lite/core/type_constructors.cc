// SPDX-License-Identifier: BSD-3-Clause
// Each constructor: keep the arguments, add the blocks in the order of the type map, finish.
#include "ompi_lite/core/type_constructors.h"

#include <limits>
#include <utility>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/type_builder.h"

namespace ompi_lite {
namespace {

// Writes down the arguments of a call where MPI_Type_get_contents will look for them.
class RecipeWriter {
 public:
  RecipeWriter(int combiner, TypeForm form) : form_(form), recipe_(std::make_shared<TypeRecipe>()) {
    recipe_->combiner = combiner;
  }
  void integer(int value) { recipe_->integers.push_back(value); }
  void count(Count value) {
    if (form_ == TypeForm::small) {
      recipe_->integers.push_back(static_cast<int>(value));
    } else {
      recipe_->large_counts.push_back(value);
    }
  }
  void address(Count value) { (form_ == TypeForm::small ? recipe_->addresses : recipe_->large_counts).push_back(value); }
  void counts(CountSpan values, Count size) {
    for (Count i = 0; i < size; ++i) count(values[static_cast<std::size_t>(i)]);
  }
  void addresses(CountSpan values, Count size) {
    for (Count i = 0; i < size; ++i) address(values[static_cast<std::size_t>(i)]);
  }
  void type(Datatype& value) { recipe_->types.push_back(Ref<Datatype>::share(&value)); }
  std::shared_ptr<const TypeRecipe> finish() { return std::move(recipe_); }

 private:
  TypeForm form_;
  std::shared_ptr<TypeRecipe> recipe_;
};

Error check_not_negative(const char* name, Count value) {
  if (value >= 0) return {};
  return make_error(ErrorClass::arg, "%s is %lld, it must not be negative", name, static_cast<long long>(value));
}

Error check_lengths(CountSpan lengths, Count count) {
  for (Count i = 0; i < count; ++i) {
    const Count length = lengths[static_cast<std::size_t>(i)];
    if (length < 0) {
      return make_error(ErrorClass::arg, "block length %lld is %lld, it must not be negative", static_cast<long long>(i),
                        static_cast<long long>(length));
    }
  }
  return {};
}

// Elements of a type to bytes.
Error to_bytes(Count elements, const Datatype& type, Count& bytes) {
  if (!__builtin_mul_overflow(elements, type.extent(), &bytes)) return {};
  return make_error(ErrorClass::arg, "%lld times the extent %lld is beyond 2^63 bytes", static_cast<long long>(elements),
                    static_cast<long long>(type.extent()));
}

// Which lengths and displacements a block of an indexed type has.
struct IndexedBlocks {
  CountSpan lengths = {};  // null: all `length`
  Count length = 0;
  CountSpan displacements = {};
  bool in_elements = false;  // displacements: elements of the old type, or bytes
};

Error add_indexed(TypeBuilder& builder, const IndexedBlocks& blocks, Count count, const Datatype& old_type) {
  for (Count block = 0; block < count; ++block) {
    const auto i = static_cast<std::size_t>(block);
    Count displacement = blocks.displacements[i];
    if (blocks.in_elements) OL_TRY(to_bytes(displacement, old_type, displacement));
    const Count length = blocks.lengths ? blocks.lengths[i] : blocks.length;
    OL_TRY(builder.add(old_type, {.displacement = displacement, .block_length = length}));
  }
  return {};
}

}  // namespace

Error make_contiguous(TypeForm form, Count count, Datatype& old_type, Datatype*& new_type) {
  OL_TRY(check_not_negative("count", count));
  RecipeWriter recipe(MPI_COMBINER_CONTIGUOUS, form);
  recipe.count(count);
  recipe.type(old_type);
  TypeBuilder builder;
  OL_TRY(builder.add(old_type, {.block_length = count}));
  return builder.finish(recipe.finish(), new_type);
}

Error make_vector(TypeForm form, Count count, Count block_length, Count stride, Datatype& old_type, Datatype*& new_type) {
  OL_TRY(check_not_negative("count", count));
  OL_TRY(check_not_negative("blocklength", block_length));
  RecipeWriter recipe(MPI_COMBINER_VECTOR, form);
  recipe.count(count);
  recipe.count(block_length);
  recipe.count(stride);
  recipe.type(old_type);
  TypeBuilder builder;
  if (count > 0 && block_length > 0) {
    Count stride_bytes = 0;
    if (count > 1) OL_TRY(to_bytes(stride, old_type, stride_bytes));
    OL_TRY(builder.add(old_type, {.count = count, .stride = stride_bytes, .block_length = block_length}));
  }
  return builder.finish(recipe.finish(), new_type);
}

Error make_hvector(TypeForm form, Count count, Count block_length, Count stride, Datatype& old_type, Datatype*& new_type) {
  OL_TRY(check_not_negative("count", count));
  OL_TRY(check_not_negative("blocklength", block_length));
  RecipeWriter recipe(MPI_COMBINER_HVECTOR, form);
  recipe.count(count);
  recipe.count(block_length);
  recipe.address(stride);
  recipe.type(old_type);
  TypeBuilder builder;
  OL_TRY(builder.add(old_type, {.count = count, .stride = stride, .block_length = block_length}));
  return builder.finish(recipe.finish(), new_type);
}

Error make_indexed(TypeForm form, Count count, CountSpan block_lengths, CountSpan displacements, Datatype& old_type,
                   Datatype*& new_type) {
  OL_TRY(check_not_negative("count", count));
  OL_TRY(check_lengths(block_lengths, count));
  RecipeWriter recipe(MPI_COMBINER_INDEXED, form);
  recipe.count(count);
  recipe.counts(block_lengths, count);
  recipe.counts(displacements, count);
  recipe.type(old_type);
  TypeBuilder builder;
  OL_TRY(add_indexed(builder, {.lengths = block_lengths, .displacements = displacements, .in_elements = true}, count,
                     old_type));
  return builder.finish(recipe.finish(), new_type);
}

Error make_hindexed(TypeForm form, Count count, CountSpan block_lengths, CountSpan displacements, Datatype& old_type,
                    Datatype*& new_type) {
  OL_TRY(check_not_negative("count", count));
  OL_TRY(check_lengths(block_lengths, count));
  RecipeWriter recipe(MPI_COMBINER_HINDEXED, form);
  recipe.count(count);
  recipe.counts(block_lengths, count);
  recipe.addresses(displacements, count);
  recipe.type(old_type);
  TypeBuilder builder;
  OL_TRY(add_indexed(builder, {.lengths = block_lengths, .displacements = displacements}, count, old_type));
  return builder.finish(recipe.finish(), new_type);
}

Error make_indexed_block(TypeForm form, Count count, Count block_length, CountSpan displacements, Datatype& old_type,
                         Datatype*& new_type) {
  OL_TRY(check_not_negative("count", count));
  OL_TRY(check_not_negative("blocklength", block_length));
  RecipeWriter recipe(MPI_COMBINER_INDEXED_BLOCK, form);
  recipe.count(count);
  recipe.count(block_length);
  recipe.counts(displacements, count);
  recipe.type(old_type);
  TypeBuilder builder;
  OL_TRY(
      add_indexed(builder, {.length = block_length, .displacements = displacements, .in_elements = true}, count, old_type));
  return builder.finish(recipe.finish(), new_type);
}

Error make_hindexed_block(TypeForm form, Count count, Count block_length, CountSpan displacements, Datatype& old_type,
                          Datatype*& new_type) {
  OL_TRY(check_not_negative("count", count));
  OL_TRY(check_not_negative("blocklength", block_length));
  RecipeWriter recipe(MPI_COMBINER_HINDEXED_BLOCK, form);
  recipe.count(count);
  recipe.count(block_length);
  recipe.addresses(displacements, count);
  recipe.type(old_type);
  TypeBuilder builder;
  OL_TRY(add_indexed(builder, {.length = block_length, .displacements = displacements}, count, old_type));
  return builder.finish(recipe.finish(), new_type);
}

Error make_struct(TypeForm form, Count count, CountSpan block_lengths, CountSpan displacements, DatatypeSpan types,
                  Datatype*& new_type) {
  OL_TRY(check_not_negative("count", count));
  OL_TRY(check_lengths(block_lengths, count));
  RecipeWriter recipe(MPI_COMBINER_STRUCT, form);
  recipe.count(count);
  recipe.counts(block_lengths, count);
  recipe.addresses(displacements, count);
  TypeBuilder builder;
  for (Count block = 0; block < count; ++block) {
    const auto i = static_cast<std::size_t>(block);
    recipe.type(types[i]);
    OL_TRY(builder.add(types[i], {.displacement = displacements[i], .block_length = block_lengths[i]}));
  }
  builder.round_up_extent();
  return builder.finish(recipe.finish(), new_type);
}

Error make_resized(TypeForm form, Datatype& old_type, Count lb, Count extent, Datatype*& new_type) {
  RecipeWriter recipe(MPI_COMBINER_RESIZED, form);
  recipe.address(lb);
  recipe.address(extent);
  recipe.type(old_type);
  Bounds bounds = old_type.bounds();
  bounds.lb = lb;
  bounds.lb_marked = bounds.ub_marked = true;
  if (__builtin_add_overflow(lb, extent, &bounds.ub)) {
    return make_error(ErrorClass::arg, "lower bound %lld and extent %lld reach beyond 2^63 bytes",
                      static_cast<long long>(lb), static_cast<long long>(extent));
  }
  new_type = new Datatype(old_type.shared_layout(), old_type.shared_signature(), bounds, recipe.finish());
  return {};
}

Datatype* make_equivalent(Datatype& type) {
  auto* copy = new Datatype(type.shared_layout(), type.shared_signature(), type.bounds(), type.shared_recipe());
  copy->committed = type.committed;
  return copy;
}

Datatype* make_dup(Datatype& old_type) {
  RecipeWriter recipe(MPI_COMBINER_DUP, TypeForm::small);
  recipe.type(old_type);
  auto* copy = new Datatype(old_type.shared_layout(), old_type.shared_signature(), old_type.bounds(), recipe.finish());
  copy->committed = old_type.committed;
  return copy;
}

}  // namespace ompi_lite
