// SPDX-License-Identifier: BSD-3-Clause
// Subarrays and distributed arrays: types made dimension by dimension, the fastest first.
#include <algorithm>
#include <utility>
#include <vector>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/type_builder.h"
#include "ompi_lite/core/type_constructors.h"

namespace ompi_lite {
namespace {

// Dimensions from the fastest to the slowest.
std::vector<std::size_t> dimensions_in_order(int dimensions, int order) {
  std::vector<std::size_t> result;
  for (int i = 0; i < dimensions; ++i)
    result.push_back(static_cast<std::size_t>(order == MPI_ORDER_C ? dimensions - 1 - i : i));
  return result;
}

Error check_order(int order) {
  if (order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN) return {};
  return make_error(ErrorClass::arg, "order is %d, it must be MPI_ORDER_C or MPI_ORDER_FORTRAN", order);
}

Error check_dimension_count(int dimensions) {
  if (dimensions >= 1) return {};
  return make_error(ErrorClass::arg, "ndims is %d, it must be positive", dimensions);
}

Error check_subarray(int dimensions, CountSpan sizes, CountSpan subsizes, CountSpan starts) {
  for (int d = 0; d < dimensions; ++d) {
    if (sizes[d] < 1 || subsizes[d] < 1 || starts[d] < 0 || subsizes[d] > sizes[d] || starts[d] > sizes[d] - subsizes[d]) {
      return make_error(ErrorClass::arg, "dimension %d: subsize %lld from start %lld does not fit into size %lld", d,
                        static_cast<long long>(subsizes[d]), static_cast<long long>(starts[d]),
                        static_cast<long long>(sizes[d]));
    }
  }
  return {};
}

Error beyond() { return Error(ErrorClass::arg, "the array would reach beyond 2^63 bytes"); }

// Replaces `inner` by the type that a builder made of it; nobody sees it, so it has no recipe.
Error step(TypeBuilder& builder, Ref<Datatype>& inner) {
  Datatype* next = nullptr;
  OL_TRY(builder.finish(nullptr, next));
  inner = Ref<Datatype>(next);
  return {};
}

// Gives `inner` the bounds of the whole array and the recipe of the call.
Error finish_array(Datatype& inner, Count array_bytes, std::shared_ptr<const TypeRecipe> recipe, Datatype*& new_type) {
  Bounds bounds = inner.bounds();
  bounds.lb = 0;
  bounds.ub = array_bytes;
  bounds.lb_marked = bounds.ub_marked = true;
  new_type = new Datatype(inner.shared_layout(), inner.shared_signature(), bounds, std::move(recipe));
  return {};
}

void keep(TypeRecipe& recipe, TypeForm form, CountSpan values, int size) {
  for (int i = 0; i < size; ++i) {
    if (form == TypeForm::small) {
      recipe.integers.push_back(static_cast<int>(values[i]));
    } else {
      recipe.large_counts.push_back(values[i]);
    }
  }
}

void keep(TypeRecipe& recipe, std::span<const int> values, int size) {
  for (int i = 0; i < size; ++i) recipe.integers.push_back(values[static_cast<std::size_t>(i)]);
}

Error check_darray(const DarrayArguments& a) {
  WideCount processes = 1;
  for (int i = 0; i < a.dimensions; ++i) {
    const auto d = static_cast<std::size_t>(i);
    const int distribution = a.distributions[d], argument = a.arguments[d], grid = a.process_sizes[d];
    if (a.global_sizes[d] < 1) {
      return make_error(ErrorClass::arg, "dimension %d: global size %lld is not positive", i,
                        static_cast<long long>(a.global_sizes[d]));
    }
    if (grid < 1) return make_error(ErrorClass::arg, "dimension %d: %d processes", i, grid);
    if (distribution != MPI_DISTRIBUTE_BLOCK && distribution != MPI_DISTRIBUTE_CYCLIC &&
        distribution != MPI_DISTRIBUTE_NONE) {
      return make_error(ErrorClass::arg, "dimension %d: %d is no distribution", i, distribution);
    }
    if (distribution == MPI_DISTRIBUTE_NONE) {
      if (grid != 1) return make_error(ErrorClass::arg, "dimension %d is not distributed but has %d processes", i, grid);
    } else if (argument != MPI_DISTRIBUTE_DFLT_DARG) {
      if (argument < 1) return make_error(ErrorClass::arg, "dimension %d: distribution argument %d", i, argument);
      if (distribution == MPI_DISTRIBUTE_BLOCK && WideCount{argument} * grid < a.global_sizes[d]) {
        return make_error(ErrorClass::arg, "dimension %d: %d blocks of %d do not cover %lld", i, grid, argument,
                          static_cast<long long>(a.global_sizes[d]));
      }
    }
    processes *= grid;
  }
  if (processes != a.size)
    return make_error(ErrorClass::arg, "size is %d, but the grid has another number of processes", a.size);
  if (a.rank < 0 || a.rank >= a.size) return make_error(ErrorClass::arg, "rank %d is not in a grid of %d", a.rank, a.size);
  return {};
}

// What one process gets of one dimension: blocks of `block` indices, `step` apart, the last one perhaps shorter.
struct Share {
  Count first = 0, block = 0, step = 0, whole_blocks = 0, rest = 0;
};

Share share_of(Count global, int distribution, int argument, int grid, int coordinate) {
  Share share;
  if (distribution == MPI_DISTRIBUTE_NONE) {
    share.block = global;
  } else if (argument != MPI_DISTRIBUTE_DFLT_DARG) {
    share.block = argument;
  } else {
    share.block = distribution == MPI_DISTRIBUTE_BLOCK ? (global + grid - 1) / grid : 1;
  }
  share.first = share.block * coordinate;
  share.step = share.block * grid;
  if (share.first >= global) return share;
  const Count reach = global - share.first;
  share.whole_blocks = reach / share.step;
  const Count rest = reach % share.step;
  if (rest >= share.block) {
    ++share.whole_blocks;
  } else {
    share.rest = rest;
  }
  return share;
}

}  // namespace

Error make_subarray(TypeForm form, int dimensions, CountSpan sizes, CountSpan subsizes, CountSpan starts, int order,
                    Datatype& old_type, Datatype*& new_type) {
  OL_TRY(check_dimension_count(dimensions));
  OL_TRY(check_order(order));
  OL_TRY(check_subarray(dimensions, sizes, subsizes, starts));
  auto recipe = std::make_shared<TypeRecipe>();
  recipe->combiner = MPI_COMBINER_SUBARRAY;
  recipe->integers.push_back(dimensions);
  keep(*recipe, form, sizes, dimensions);
  keep(*recipe, form, subsizes, dimensions);
  keep(*recipe, form, starts, dimensions);
  recipe->integers.push_back(order);
  recipe->types.push_back(Ref<Datatype>::share(&old_type));

  // `stride` is the distance between neighbours of the dimension at hand, in bytes.
  auto inner = Ref<Datatype>::share(&old_type);
  Count stride = old_type.extent();
  for (const std::size_t d : dimensions_in_order(dimensions, order)) {
    Count offset;
    if (__builtin_mul_overflow(starts[d], stride, &offset)) return beyond();
    TypeBuilder builder;
    OL_TRY(builder.add(*inner, {.displacement = offset, .count = subsizes[d], .stride = stride}));
    OL_TRY(step(builder, inner));
    if (__builtin_mul_overflow(stride, sizes[d], &stride)) return beyond();
  }
  return finish_array(*inner, stride, std::move(recipe), new_type);
}

Error make_darray(TypeForm form, const DarrayArguments& a, Datatype& old_type, Datatype*& new_type) {
  OL_TRY(check_dimension_count(a.dimensions));
  OL_TRY(check_order(a.order));
  OL_TRY(check_darray(a));
  auto recipe = std::make_shared<TypeRecipe>();
  recipe->combiner = MPI_COMBINER_DARRAY;
  recipe->integers = {a.size, a.rank, a.dimensions};
  keep(*recipe, form, a.global_sizes, a.dimensions);
  keep(*recipe, a.distributions, a.dimensions);
  keep(*recipe, a.arguments, a.dimensions);
  keep(*recipe, a.process_sizes, a.dimensions);
  recipe->integers.push_back(a.order);
  recipe->types.push_back(Ref<Datatype>::share(&old_type));

  // Ranks are laid out over the grid in row-major order, whatever the order of the array (section 5.1.4).
  std::vector<int> coordinates(static_cast<std::size_t>(a.dimensions));
  int rest_of_rank = a.rank;
  for (std::size_t d = coordinates.size(); d-- > 0;) {
    coordinates[d] = rest_of_rank % a.process_sizes[d];
    rest_of_rank /= a.process_sizes[d];
  }

  auto inner = Ref<Datatype>::share(&old_type);
  Count stride = old_type.extent();
  for (const std::size_t d : dimensions_in_order(a.dimensions, a.order)) {
    const Share share = share_of(a.global_sizes[d], a.distributions[d], a.arguments[d], a.process_sizes[d], coordinates[d]);
    Count array_bytes;
    if (__builtin_mul_overflow(stride, a.global_sizes[d], &array_bytes)) return beyond();
    // Inside the array every product below is smaller than array_bytes.
    TypeBuilder builder;
    if (share.whole_blocks > 0) {
      TypeBuilder row;
      OL_TRY(row.add(*inner, {.count = share.block, .stride = stride}));
      auto block = inner;
      OL_TRY(step(row, block));
      const Count step_bytes = share.whole_blocks > 1 ? share.step * stride : 0;
      OL_TRY(builder.add(*block, {.displacement = share.first * stride, .count = share.whole_blocks, .stride = step_bytes}));
    }
    if (share.rest > 0) {
      const Count displacement = (share.first + share.whole_blocks * share.step) * stride;
      OL_TRY(builder.add(*inner, {.displacement = displacement, .count = share.rest, .stride = stride}));
    }
    OL_TRY(step(builder, inner));
    stride = array_bytes;
  }
  return finish_array(*inner, stride, std::move(recipe), new_type);
}

}  // namespace ompi_lite
