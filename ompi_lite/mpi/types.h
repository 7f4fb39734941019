// SPDX-License-Identifier: BSD-3-Clause
// What the calls of the datatype chapter (MPI 5.0, chapter 5) and MPI_Pack mean. Arguments come checked by kind.
#pragma once

#include <span>

#include "ompi_lite/base/count_span.h"
#include "ompi_lite/base/error.h"
#include "ompi_lite/core/buffer.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/core/datatype.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite::mpi {

// Constructors. MPI_Type_get_envelope must tell whether a type was made by the _c form, so there are two entries for each.
Error type_contiguous(Count count, Datatype& old_type, Datatype*& new_type);
Error type_vector(Count count, Count block_length, Count stride, Datatype& old_type, Datatype*& new_type);
Error type_create_hvector(Count count, Count block_length, Count stride, Datatype& old_type, Datatype*& new_type);
Error type_indexed(Count count, CountSpan block_lengths, CountSpan displacements, Datatype& old_type, Datatype*& new_type);
Error type_create_hindexed(Count count, CountSpan block_lengths, CountSpan displacements, Datatype& old_type,
                           Datatype*& new_type);
Error type_create_indexed_block(Count count, Count block_length, CountSpan displacements, Datatype& old_type,
                                Datatype*& new_type);
Error type_create_hindexed_block(Count count, Count block_length, CountSpan displacements, Datatype& old_type,
                                 Datatype*& new_type);
Error type_create_struct(Count count, CountSpan block_lengths, CountSpan displacements, DatatypeSpan types,
                         Datatype*& new_type);
Error type_create_subarray(int dimensions, CountSpan sizes, CountSpan subsizes, CountSpan starts, int order,
                           Datatype& old_type, Datatype*& new_type);
Error type_create_darray(int size, int rank, int dimensions, CountSpan global_sizes, std::span<const int> distributions,
                         std::span<const int> arguments, std::span<const int> process_sizes, int order, Datatype& old_type,
                         Datatype*& new_type);
Error type_create_resized(Datatype& old_type, Count lb, Count extent, Datatype*& new_type);

Error type_contiguous_c(Count count, Datatype& old_type, Datatype*& new_type);
Error type_vector_c(Count count, Count block_length, Count stride, Datatype& old_type, Datatype*& new_type);
Error type_create_hvector_c(Count count, Count block_length, Count stride, Datatype& old_type, Datatype*& new_type);
Error type_indexed_c(Count count, CountSpan block_lengths, CountSpan displacements, Datatype& old_type, Datatype*& new_type);
Error type_create_hindexed_c(Count count, CountSpan block_lengths, CountSpan displacements, Datatype& old_type,
                             Datatype*& new_type);
Error type_create_indexed_block_c(Count count, Count block_length, CountSpan displacements, Datatype& old_type,
                                  Datatype*& new_type);
Error type_create_hindexed_block_c(Count count, Count block_length, CountSpan displacements, Datatype& old_type,
                                   Datatype*& new_type);
Error type_create_struct_c(Count count, CountSpan block_lengths, CountSpan displacements, DatatypeSpan types,
                           Datatype*& new_type);
Error type_create_subarray_c(int dimensions, CountSpan sizes, CountSpan subsizes, CountSpan starts, int order,
                             Datatype& old_type, Datatype*& new_type);
Error type_create_darray_c(int size, int rank, int dimensions, CountSpan global_sizes, std::span<const int> distributions,
                           std::span<const int> arguments, std::span<const int> process_sizes, int order, Datatype& old_type,
                           Datatype*& new_type);
Error type_create_resized_c(Datatype& old_type, Count lb, Count extent, Datatype*& new_type);

Error type_dup(Datatype& old_type, Datatype*& new_type);
Error type_create_f90_integer(int range, Datatype*& new_type);
Error type_create_f90_real(int precision, int range, Datatype*& new_type);
Error type_create_f90_complex(int precision, int range, Datatype*& new_type);
Error type_match_size(int type_class, int size, Datatype*& type);
// pair_type is nullptr (MPI_DATATYPE_NULL) if there is none for these two.
Error type_get_value_index(Datatype& value_type, Datatype& index_type, Datatype*& pair_type);

Error type_commit(Datatype*& type);
Error type_free(Datatype*& type);

// Queries; the int, _c and _x forms share them. A value that an int cannot hold is the door's to turn into MPI_UNDEFINED.
Error type_size(Datatype& type, Count& size);
Error type_get_extent(Datatype& type, Count& lb, Count& extent);
Error type_get_true_extent(Datatype& type, Count& true_lb, Count& true_extent);
Error type_get_envelope(Datatype& type, Count& integers, Count& addresses, Count& types, int& combiner);
Error type_get_envelope_c(Datatype& type, Count& integers, Count& addresses, Count& large_counts, Count& types,
                          int& combiner);
Error type_get_contents(Datatype& type, Count max_integers, Count max_addresses, Count max_types, int* integers,
                        MPI_Aint* addresses, MPI_Datatype* types);
Error type_get_contents_c(Datatype& type, Count max_integers, Count max_addresses, Count max_large_counts, Count max_types,
                          int* integers, MPI_Aint* addresses, MPI_Count* large_counts, MPI_Datatype* types);
Error type_set_name(Datatype& type, const char* name);
// MPI_DATATYPE_NULL has a name too (MPI 5.0, section 7.8).
Error type_get_name(Datatype* type, char* name, int& length);

// count is MPI_UNDEFINED if the bytes received are no whole number of elements (of basic elements for get_elements).
Error get_count(const MPI_Status* status, Datatype& type, Count& count);
Error get_elements(const MPI_Status* status, Datatype& type, Count& count);
Error status_set_elements(MPI_Status* status, Datatype& type, Count count);

Error pack(const Buffer& in, void* out, Count out_bytes, Count& position, Communicator& comm);
Error unpack(const void* in, Count in_bytes, Count& position, const Buffer& out, Communicator& comm);
Error pack_size(Count count, Datatype& type, Communicator& comm, Count& size);
Error pack_external(const char* representation, const Buffer& in, void* out, Count out_bytes, Count& position);
Error unpack_external(const char* representation, const void* in, Count in_bytes, Count& position, const Buffer& out);
Error pack_external_size(const char* representation, Count count, Datatype& type, Count& size);

Error type_create_keyval(Callback copy, Callback remove, int& keyval, void* extra_state);
Error type_free_keyval(int& keyval);
Error type_set_attr(Datatype& type, int keyval, void* value);
Error type_get_attr(Datatype& type, int keyval, void*& value, bool& found);
Error type_delete_attr(Datatype& type, int keyval);

}  // namespace ompi_lite::mpi
