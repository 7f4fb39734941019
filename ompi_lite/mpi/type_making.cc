// SPDX-License-Identifier: BSD-3-Clause
// The constructors of derived datatypes, in their two forms.
#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/type_constructors.h"
#include "ompi_lite/mpi/types.h"

namespace ompi_lite::mpi {

Error type_contiguous(Count count, Datatype& old_type, Datatype*& new_type) {
  return make_contiguous(TypeForm::small, count, old_type, new_type);
}

Error type_contiguous_c(Count count, Datatype& old_type, Datatype*& new_type) {
  return make_contiguous(TypeForm::large, count, old_type, new_type);
}

Error type_vector(Count count, Count block_length, Count stride, Datatype& old_type, Datatype*& new_type) {
  return make_vector(TypeForm::small, count, block_length, stride, old_type, new_type);
}

Error type_vector_c(Count count, Count block_length, Count stride, Datatype& old_type, Datatype*& new_type) {
  return make_vector(TypeForm::large, count, block_length, stride, old_type, new_type);
}

Error type_create_hvector(Count count, Count block_length, Count stride, Datatype& old_type, Datatype*& new_type) {
  return make_hvector(TypeForm::small, count, block_length, stride, old_type, new_type);
}

Error type_create_hvector_c(Count count, Count block_length, Count stride, Datatype& old_type, Datatype*& new_type) {
  return make_hvector(TypeForm::large, count, block_length, stride, old_type, new_type);
}

Error type_indexed(Count count, CountSpan block_lengths, CountSpan displacements, Datatype& old_type, Datatype*& new_type) {
  return make_indexed(TypeForm::small, count, block_lengths, displacements, old_type, new_type);
}

Error type_indexed_c(Count count, CountSpan block_lengths, CountSpan displacements, Datatype& old_type,
                     Datatype*& new_type) {
  return make_indexed(TypeForm::large, count, block_lengths, displacements, old_type, new_type);
}

Error type_create_hindexed(Count count, CountSpan block_lengths, CountSpan displacements, Datatype& old_type,
                           Datatype*& new_type) {
  return make_hindexed(TypeForm::small, count, block_lengths, displacements, old_type, new_type);
}

Error type_create_hindexed_c(Count count, CountSpan block_lengths, CountSpan displacements, Datatype& old_type,
                             Datatype*& new_type) {
  return make_hindexed(TypeForm::large, count, block_lengths, displacements, old_type, new_type);
}

Error type_create_indexed_block(Count count, Count block_length, CountSpan displacements, Datatype& old_type,
                                Datatype*& new_type) {
  return make_indexed_block(TypeForm::small, count, block_length, displacements, old_type, new_type);
}

Error type_create_indexed_block_c(Count count, Count block_length, CountSpan displacements, Datatype& old_type,
                                  Datatype*& new_type) {
  return make_indexed_block(TypeForm::large, count, block_length, displacements, old_type, new_type);
}

Error type_create_hindexed_block(Count count, Count block_length, CountSpan displacements, Datatype& old_type,
                                 Datatype*& new_type) {
  return make_hindexed_block(TypeForm::small, count, block_length, displacements, old_type, new_type);
}

Error type_create_hindexed_block_c(Count count, Count block_length, CountSpan displacements, Datatype& old_type,
                                   Datatype*& new_type) {
  return make_hindexed_block(TypeForm::large, count, block_length, displacements, old_type, new_type);
}

Error type_create_struct(Count count, CountSpan block_lengths, CountSpan displacements, DatatypeSpan types,
                         Datatype*& new_type) {
  return make_struct(TypeForm::small, count, block_lengths, displacements, types, new_type);
}

Error type_create_struct_c(Count count, CountSpan block_lengths, CountSpan displacements, DatatypeSpan types,
                           Datatype*& new_type) {
  return make_struct(TypeForm::large, count, block_lengths, displacements, types, new_type);
}

Error type_create_subarray(int dimensions, CountSpan sizes, CountSpan subsizes, CountSpan starts, int order,
                           Datatype& old_type, Datatype*& new_type) {
  return make_subarray(TypeForm::small, dimensions, sizes, subsizes, starts, order, old_type, new_type);
}

Error type_create_subarray_c(int dimensions, CountSpan sizes, CountSpan subsizes, CountSpan starts, int order,
                             Datatype& old_type, Datatype*& new_type) {
  return make_subarray(TypeForm::large, dimensions, sizes, subsizes, starts, order, old_type, new_type);
}

Error type_create_resized(Datatype& old_type, Count lb, Count extent, Datatype*& new_type) {
  return make_resized(TypeForm::small, old_type, lb, extent, new_type);
}

Error type_create_resized_c(Datatype& old_type, Count lb, Count extent, Datatype*& new_type) {
  return make_resized(TypeForm::large, old_type, lb, extent, new_type);
}

Error type_create_darray(int size, int rank, int dimensions, CountSpan global_sizes, std::span<const int> distributions,
                         std::span<const int> arguments, std::span<const int> process_sizes, int order, Datatype& old_type,
                         Datatype*& new_type) {
  const DarrayArguments all{size, rank, dimensions, global_sizes, distributions, arguments, process_sizes, order};
  return make_darray(TypeForm::small, all, old_type, new_type);
}

Error type_create_darray_c(int size, int rank, int dimensions, CountSpan global_sizes, std::span<const int> distributions,
                           std::span<const int> arguments, std::span<const int> process_sizes, int order, Datatype& old_type,
                           Datatype*& new_type) {
  const DarrayArguments all{size, rank, dimensions, global_sizes, distributions, arguments, process_sizes, order};
  return make_darray(TypeForm::large, all, old_type, new_type);
}

Error type_dup(Datatype& old_type, Datatype*& new_type) {
  Ref<Datatype> copy(make_dup(old_type));
  OL_TRY(old_type.attributes.copy_to(old_type, copy->attributes));
  new_type = copy.give();
  return {};
}

}  // namespace ompi_lite::mpi
