// SPDX-License-Identifier: BSD-3-Clause
// Makes each random type twice: by the constructors and by enumeration.
#include "test/unit/core/reference_type.h"

#include <catch2/catch.hpp>

namespace ompi_lite::test {
namespace {

std::string text_of(const char* name, std::initializer_list<Count> numbers, const std::string& old) {
  std::string text = name;
  text += "(";
  for (const Count number : numbers) text += std::to_string(number) + ",";
  return text + old + ")";
}

TypeForm form_of(Count number) { return number == 0 ? TypeForm::small : TypeForm::large; }

}  // namespace

BothTypes TypeGenerator::once(int depth) {
  if (number(0, 7) == 0) return structure(depth);
  BothTypes old = derived(depth - 1);
  BothTypes result;
  Datatype* made = nullptr;
  switch (number(0, 8)) {
    case 0: {
      const Count count = number(0, 4);
      REQUIRE(!make_contiguous(form_of(number(0, 1)), count, *old.type, made));
      for (Count i = 0; i < count; ++i) result.reference.add(old.reference, i * old.reference.extent());
      result.text = text_of("contiguous", {count}, old.text);
      break;
    }
    case 1:
      made = make_dup(*old.type);
      result.reference = old.reference;
      result.text = text_of("dup", {}, old.text);
      break;
    case 2:
      return strided(std::move(old), false);
    case 3:
      return strided(std::move(old), true);
    case 4:
      return indexed(std::move(old), false, number(0, 1) == 0);
    case 5:
      return indexed(std::move(old), true, number(0, 1) == 0);
    case 6:
      return subarray(std::move(old));
    default:
      return resized(std::move(old));
  }
  result.type = Ref<Datatype>(made);
  return result;
}

BothTypes TypeGenerator::strided(BothTypes old, bool in_bytes) {
  const Count count = number(0, 4), length = number(0, 3);
  const Count stride = in_bytes ? number(-40, 40) : number(-4, 5);
  BothTypes result;
  Datatype* made = nullptr;
  if (in_bytes) {
    REQUIRE(!make_hvector(form_of(number(0, 1)), count, length, stride, *old.type, made));
  } else {
    REQUIRE(!make_vector(form_of(number(0, 1)), count, length, stride, *old.type, made));
  }
  const Count extent = old.reference.extent();
  for (Count i = 0; i < count; ++i) {
    for (Count j = 0; j < length; ++j)
      result.reference.add(old.reference, i * stride * (in_bytes ? 1 : extent) + j * extent);
  }
  result.type = Ref<Datatype>(made);
  result.text = text_of(in_bytes ? "hvector" : "vector", {count, length, stride}, old.text);
  return result;
}

BothTypes TypeGenerator::indexed(BothTypes old, bool in_bytes, bool equal_blocks) {
  const auto count = static_cast<std::size_t>(number(0, 4));
  std::vector<Count> lengths(count, number(0, 3)), displacements(count);
  BothTypes result;
  result.text = std::string(in_bytes ? "h" : "") + (equal_blocks ? "indexed_block(" : "indexed(");
  const Count extent = old.reference.extent();
  for (std::size_t i = 0; i < count; ++i) {
    if (!equal_blocks) lengths[i] = number(0, 3);
    displacements[i] = in_bytes ? number(-50, 50) : number(-4, 6);
    if (number(0, 2) == 0 && i > 0) displacements[i] = displacements[i - 1] + lengths[i - 1] * (in_bytes ? extent : 1);
    const Count at = displacements[i] * (in_bytes ? 1 : extent);
    for (Count j = 0; j < lengths[i]; ++j) result.reference.add(old.reference, at + j * extent);
    result.text += std::to_string(lengths[i]) + "@" + std::to_string(displacements[i]) + ",";
  }
  result.text += old.text + ")";
  const Count length = count == 0 ? 0 : lengths[0];
  const auto blocks = static_cast<Count>(count);
  const TypeForm form = form_of(number(0, 1));
  Datatype* made = nullptr;
  Error error;
  if (equal_blocks) {
    error = in_bytes ? make_hindexed_block(form, blocks, length, displacements.data(), *old.type, made)
                     : make_indexed_block(form, blocks, length, displacements.data(), *old.type, made);
  } else {
    error = in_bytes ? make_hindexed(form, blocks, lengths.data(), displacements.data(), *old.type, made)
                     : make_indexed(form, blocks, lengths.data(), displacements.data(), *old.type, made);
  }
  REQUIRE(!error);
  result.type = Ref<Datatype>(made);
  return result;
}

BothTypes TypeGenerator::structure(int depth) {
  const auto count = static_cast<std::size_t>(number(0, 4));
  std::vector<Count> lengths, displacements;
  std::vector<BothTypes> parts;
  std::vector<MPI_Datatype> handles;
  BothTypes result;
  result.text = "struct(";
  for (std::size_t i = 0; i < count; ++i) {
    parts.push_back(derived(static_cast<int>(number(0, depth - 1))));
    lengths.push_back(number(0, 3));
    displacements.push_back(number(-60, 100));
    handles.push_back(parts[i].type->handle());
    const ReferenceType& part = parts[i].reference;
    for (Count j = 0; j < lengths[i]; ++j) result.reference.add(part, displacements[i] + j * part.extent());
    result.text += std::to_string(lengths[i]) + "@" + std::to_string(displacements[i]) + " " + parts[i].text + ",";
  }
  result.text += ")";
  result.reference.round_up_extent();
  Datatype* made = nullptr;
  REQUIRE(!make_struct(form_of(number(0, 1)), static_cast<Count>(count), lengths.data(), displacements.data(),
                       handles.data(), made));
  result.type = Ref<Datatype>(made);
  return result;
}

BothTypes TypeGenerator::resized(BothTypes old) {
  const Count lb = number(-16, 16), extent = number(-8, 64);
  BothTypes result;
  Datatype* made = nullptr;
  REQUIRE(!make_resized(form_of(number(0, 1)), *old.type, lb, extent, made));
  result.reference = old.reference;
  result.reference.lbs = {lb};
  result.reference.ubs = {lb + extent};
  result.reference.lb_marked = result.reference.ub_marked = true;
  result.type = Ref<Datatype>(made);
  result.text = text_of("resized", {lb, extent}, old.text);
  return result;
}

BothTypes TypeGenerator::subarray(BothTypes old) {
  const bool c_order = number(0, 1) == 0;
  std::vector<Count> sizes, subsizes, starts;
  const auto dimensions = static_cast<std::size_t>(number(1, 3));
  for (std::size_t d = 0; d < dimensions; ++d) {
    sizes.push_back(number(1, 4));
    subsizes.push_back(number(1, sizes[d]));
    starts.push_back(number(0, sizes[d] - subsizes[d]));
  }
  BothTypes result;
  Datatype* made = nullptr;
  REQUIRE(!make_subarray(form_of(number(0, 1)), static_cast<int>(dimensions), sizes.data(), subsizes.data(), starts.data(),
                         c_order ? MPI_ORDER_C : MPI_ORDER_FORTRAN, *old.type, made));
  // Count through the subarray with the fastest dimension first.
  std::vector<std::size_t> order(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d) order[d] = c_order ? dimensions - 1 - d : d;
  std::vector<Count> index(dimensions, 0);
  for (bool more = true; more;) {
    Count element = 0, stride = 1;
    for (const std::size_t d : order) {
      element += (starts[d] + index[d]) * stride;
      stride *= sizes[d];
    }
    result.reference.add(old.reference, element * old.reference.extent());
    more = false;
    for (const std::size_t d : order) {
      if (++index[d] < subsizes[d]) {
        more = true;
        break;
      }
      index[d] = 0;
    }
  }
  Count elements = 1;
  for (const Count size : sizes) elements *= size;
  result.reference.lbs = {0};
  result.reference.ubs = {elements * old.reference.extent()};
  result.reference.lb_marked = result.reference.ub_marked = true;
  result.type = Ref<Datatype>(made);
  result.text = text_of(c_order ? "subarray C" : "subarray Fortran", {}, old.text);
  return result;
}

}  // namespace ompi_lite::test
