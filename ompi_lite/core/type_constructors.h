// SPDX-License-Identifier: BSD-3-Clause
// Derived datatypes from their arguments (MPI 5.0, section 5.1).
#pragma once

#include <span>

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/core/datatype.h"

namespace ompi_lite {

// Which form of the call made the type; MPI_Type_get_envelope tells.
enum class TypeForm : std::uint8_t { small, large };

// The new type is not committed and belongs to the caller. Nothing is stored on an error: MPI_ERR_ARG for negative counts
// and for types that reach beyond 2^63 bytes.
Error make_contiguous(TypeForm form, Count count, Datatype& old_type, Datatype*& new_type);
Error make_vector(TypeForm form, Count count, Count block_length, Count stride, Datatype& old_type, Datatype*& new_type);
Error make_hvector(TypeForm form, Count count, Count block_length, Count stride, Datatype& old_type, Datatype*& new_type);
Error make_indexed(TypeForm form, Count count, CountSpan block_lengths, CountSpan displacements, Datatype& old_type,
                   Datatype*& new_type);
Error make_hindexed(TypeForm form, Count count, CountSpan block_lengths, CountSpan displacements, Datatype& old_type,
                    Datatype*& new_type);
Error make_indexed_block(TypeForm form, Count count, Count block_length, CountSpan displacements, Datatype& old_type,
                         Datatype*& new_type);
Error make_hindexed_block(TypeForm form, Count count, Count block_length, CountSpan displacements, Datatype& old_type,
                          Datatype*& new_type);
Error make_struct(TypeForm form, Count count, CountSpan block_lengths, CountSpan displacements, DatatypeSpan types,
                  Datatype*& new_type);
Error make_resized(TypeForm form, Datatype& old_type, Count lb, Count extent, Datatype*& new_type);
Error make_subarray(TypeForm form, int dimensions, CountSpan sizes, CountSpan subsizes, CountSpan starts, int order,
                    Datatype& old_type, Datatype*& new_type);

// How the elements of the global array are dealt out to a grid of processes, dimension by dimension.
struct DarrayArguments {
  int size = 0, rank = 0, dimensions = 0;
  CountSpan global_sizes;
  std::span<const int> distributions, arguments, process_sizes;
  int order = 0;
};
Error make_darray(TypeForm form, const DarrayArguments& arguments, Datatype& old_type, Datatype*& new_type);

// The same type once more: shape, bounds, flag and recipe, without name and attributes.
Datatype* make_equivalent(Datatype& type);
// As MPI_Type_dup, without the attributes.
Datatype* make_dup(Datatype& old_type);

}  // namespace ompi_lite
