// SPDX-License-Identifier: BSD-3-Clause
// The tool interface: categories. The first one is the library, and holds one for each component.
#include <algorithm>
#include <cstring>
#include <vector>

#include "ompi_lite/base/macros.h"
#include "ompi_lite/mpi/tool.h"
#include "ompi_lite/mpi/tool_state.h"

namespace ompi_lite::mpi {

using namespace tool;

namespace {

std::size_t category_count() { return all_knobs().size() + 1; }
const char* name_of(int index) {
  return index == 0 ? "ompi_lite" : all_knobs()[static_cast<std::size_t>(index) - 1].component;
}

// Of a component; the library itself has none.
std::vector<int> cvars_of(int index) {
  std::vector<int> found;
  const std::vector<ControlVariable>& all = state().controls;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::strcmp(all[i].component, name_of(index)) == 0) found.push_back(static_cast<int>(i));
  return found;
}

std::vector<int> pvars_of(int index) {
  std::vector<int> found;
  const std::span<const PerformanceVariable> all = performance_variables();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::strcmp(all[i].component, name_of(index)) == 0) found.push_back(static_cast<int>(i));
  return found;
}

std::vector<int> categories_of(int index) {
  std::vector<int> found;
  for (std::size_t i = 1; index == 0 && i < category_count(); ++i) found.push_back(static_cast<int>(i));
  return found;
}

Error check(const Use& use, int index) {
  if (!use) return not_initialized();
  return within(index, category_count()) ? Error() : bad_index();
}

Error fill(const std::vector<int>& found, int length, int* indices) {
  if (length < 0 || (length > 0 && indices == nullptr)) return fail(MPI_T_ERR_INVALID, "there is no array for the indices");
  std::copy_n(found.begin(), std::min(found.size(), static_cast<std::size_t>(length)), indices);
  return {};
}

}  // namespace

Error t_category_get_num(int* num) {
  const Use use;
  if (!use) return not_initialized();
  give(num, static_cast<int>(category_count()));
  return {};
}

Error t_category_get_info(int index, char* name, int* name_len, char* desc, int* desc_len, int* cvars, int* pvars,
                          int* categories) {
  const Use use;
  OL_TRY(check(use, index));
  give_text(name, name_len, name_of(index));
  give_text(desc, desc_len, index == 0 ? "all components" : "what this component can be told, and what it counts");
  give(cvars, static_cast<int>(cvars_of(index).size()));
  give(pvars, static_cast<int>(pvars_of(index).size()));
  give(categories, static_cast<int>(categories_of(index).size()));
  return {};
}

Error t_category_get_index(const char* name, int* index) {
  const Use use;
  if (!use) return not_initialized();
  if (name == nullptr || index == nullptr) return fail(MPI_T_ERR_INVALID, "a null pointer is given");
  for (int i = 0; i < static_cast<int>(category_count()); ++i) {
    if (std::strcmp(name_of(i), name) != 0) continue;
    *index = i;
    return {};
  }
  return fail(MPI_T_ERR_INVALID_NAME, "no category has that name");
}

Error t_category_get_num_events(int index, int* num) {
  const Use use;
  OL_TRY(check(use, index));
  give(num, 0);
  return {};
}

Error t_category_get_cvars(int index, int length, int* indices) {
  const Use use;
  OL_TRY(check(use, index));
  return fill(cvars_of(index), length, indices);
}

Error t_category_get_pvars(int index, int length, int* indices) {
  const Use use;
  OL_TRY(check(use, index));
  return fill(pvars_of(index), length, indices);
}

Error t_category_get_events(int index, int length, int* indices) {
  const Use use;
  OL_TRY(check(use, index));
  return fill({}, length, indices);
}

Error t_category_get_categories(int index, int length, int* indices) {
  const Use use;
  OL_TRY(check(use, index));
  return fill(categories_of(index), length, indices);
}

// Nothing is ever added.
Error t_category_changed(int* update_number) {
  const Use use;
  if (!use) return not_initialized();
  give(update_number, 0);
  return {};
}

}  // namespace ompi_lite::mpi
