// SPDX-License-Identifier: BSD-3-Clause
// The calls on datatypes that exist: commit, free, ask, name, attributes. The constructors stand in type_making.cc.
#include "ompi_lite/mpi/types.h"

#include <algorithm>
#include <cstring>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/core/predefined_types.h"
#include "ompi_lite/core/signature.h"
#include "ompi_lite/core/status.h"
#include "ompi_lite/core/type_constructors.h"

namespace ompi_lite::mpi {
namespace {

Error check_room(const char* name, Count room, std::size_t needed) {
  if (room >= static_cast<Count>(needed)) return {};
  return make_error(ErrorClass::arg, "%s is %lld, the type needs %lld", name, static_cast<long long>(room),
                    static_cast<long long>(needed));
}

Error check_not_named(const TypeRecipe& recipe, const Datatype& type) {
  if (recipe.combiner != MPI_COMBINER_NAMED) return {};
  return make_error(ErrorClass::type, "%s is predefined: it has no contents", type.name_or_combiner());
}

Error check_small_form(const TypeRecipe& recipe) {
  if (recipe.large_counts.empty()) return {};
  return Error(ErrorClass::type, "the type was made with large counts: ask with the _c form of this call");
}

// Derived types are given back as new objects, which the application frees (MPI 5.0, section 5.1.13).
void store_types(const TypeRecipe& recipe, MPI_Datatype* types) {
  for (const Ref<Datatype>& type : recipe.types)
    *types++ = type->predefined ? type->handle() : make_equivalent(*type)->handle();
}

}  // namespace

Error type_commit(Datatype*& type) {
  type->committed = true;
  return {};
}

Error type_free(Datatype*& type) {
  if (type->predefined)
    return make_error(ErrorClass::type, "%s is predefined and cannot be freed", type->name_or_combiner());
  OL_TRY(type->attributes.clear(*type));
  release(type);
  type = nullptr;
  return {};
}

Error type_size(Datatype& type, Count& size) {
  size = type.size();
  return {};
}

Error type_get_extent(Datatype& type, Count& lb, Count& extent) {
  lb = type.lb();
  extent = type.extent();
  return {};
}

Error type_get_true_extent(Datatype& type, Count& true_lb, Count& true_extent) {
  true_lb = type.true_lb();
  true_extent = type.true_extent();
  return {};
}

Error type_get_envelope(Datatype& type, Count& integers, Count& addresses, Count& types, int& combiner) {
  OL_TRY(check_small_form(type.recipe()));
  Count large_counts = 0;
  return type_get_envelope_c(type, integers, addresses, large_counts, types, combiner);
}

Error type_get_envelope_c(Datatype& type, Count& integers, Count& addresses, Count& large_counts, Count& types,
                          int& combiner) {
  const TypeRecipe& recipe = type.recipe();
  integers = static_cast<Count>(recipe.integers.size());
  addresses = static_cast<Count>(recipe.addresses.size());
  large_counts = static_cast<Count>(recipe.large_counts.size());
  types = static_cast<Count>(recipe.types.size());
  combiner = recipe.combiner;
  return {};
}

Error type_get_contents(Datatype& type, Count max_integers, Count max_addresses, Count max_types, int* integers,
                        MPI_Aint* addresses, MPI_Datatype* types) {
  OL_TRY(check_not_named(type.recipe(), type));
  OL_TRY(check_small_form(type.recipe()));
  return type_get_contents_c(type, max_integers, max_addresses, 0, max_types, integers, addresses, nullptr, types);
}

Error type_get_contents_c(Datatype& type, Count max_integers, Count max_addresses, Count max_large_counts, Count max_types,
                          int* integers, MPI_Aint* addresses, MPI_Count* large_counts, MPI_Datatype* types) {
  const TypeRecipe& recipe = type.recipe();
  OL_TRY(check_not_named(recipe, type));
  OL_TRY(check_room("max_integers", max_integers, recipe.integers.size()));
  OL_TRY(check_room("max_addresses", max_addresses, recipe.addresses.size()));
  OL_TRY(check_room("max_large_counts", max_large_counts, recipe.large_counts.size()));
  OL_TRY(check_room("max_datatypes", max_types, recipe.types.size()));
  std::copy(recipe.integers.begin(), recipe.integers.end(), integers);
  std::copy(recipe.addresses.begin(), recipe.addresses.end(), addresses);
  std::copy(recipe.large_counts.begin(), recipe.large_counts.end(), large_counts);
  store_types(recipe, types);
  return {};
}

Error type_set_name(Datatype& type, const char* name) {
  type.name.assign(name, std::min<std::size_t>(std::strlen(name), MPI_MAX_OBJECT_NAME - 1));
  return {};
}

Error type_get_name(Datatype* type, char* name, int& length) {
  const char* text = "";
  if (type == nullptr) {
    text = "MPI_DATATYPE_NULL";
  } else if (!type->name.empty() || type->recipe().combiner == MPI_COMBINER_NAMED) {
    text = type->name_or_combiner();
  }
  length = static_cast<int>(std::strlen(text));
  std::memcpy(name, text, static_cast<std::size_t>(length) + 1);
  return {};
}

Error get_count(const MPI_Status* status, Datatype& type, Count& count) {
  const Count bytes = status_bytes(*status);
  if (type.size() == 0) {
    count = 0;  // MPI 5.0, section 3.2.5
  } else {
    count = bytes % type.size() == 0 ? bytes / type.size() : Count{MPI_UNDEFINED};
  }
  return {};
}

Error get_elements(const MPI_Status* status, Datatype& type, Count& count) {
  const Count bytes = status_bytes(*status);
  count = type.size() == 0 ? 0 : type.signature().elements_in(bytes).value_or(MPI_UNDEFINED);
  return {};
}

Error status_set_elements(MPI_Status* status, Datatype& type, Count count) {
  set_status_bytes(*status, type.signature().bytes_of(count));
  return {};
}

Error type_create_keyval(Callback copy, Callback remove, int& keyval, void* extra_state) {
  auto made = create_keyval(ObjectKind::datatype, copy, remove, extra_state);
  if (!made) return made.error();
  keyval = *made;
  return {};
}

Error type_free_keyval(int& keyval) { return free_keyval(ObjectKind::datatype, keyval); }

Error type_set_attr(Datatype& type, int keyval, void* value) { return type.attributes.set(type, keyval, value); }

Error type_get_attr(Datatype& type, int keyval, void*& value, bool& found) {
  void* stored = nullptr;
  OL_TRY(type.attributes.get(type, keyval, stored, found));
  if (found) value = stored;
  return {};
}

Error type_delete_attr(Datatype& type, int keyval) { return type.attributes.remove(type, keyval); }

}  // namespace ompi_lite::mpi
