// SPDX-License-Identifier: BSD-3-Clause
// The tool interface: beginning and end, strings, enumerations.
#include "ompi_lite/mpi/tool.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "ompi_lite/mpi/tool_state.h"

namespace ompi_lite::mpi {
namespace tool {
namespace {

constexpr std::array kYesOrNo{EnumItem{0, "no"}, EnumItem{1, "yes"}};
constexpr std::array kLogLevels{EnumItem{0, "error"}, EnumItem{1, "warn"}, EnumItem{2, "debug"}, EnumItem{3, "trace"},
                                EnumItem{4, "data"}};

}  // namespace

constinit const Enumeration yes_or_no{"yes_or_no", kYesOrNo}, log_levels{"log_levels", kLogLevels};

State& state() {
  static State& only = *new State;  // never destroyed: tools may work until the program is gone
  return only;
}

void give_text(char* buffer, int* length, std::string_view text) {
  if (length == nullptr) return;
  if (buffer != nullptr && *length > 0) {
    const std::size_t bytes = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(buffer, text.data(), bytes);
    buffer[bytes] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

}  // namespace tool

using namespace tool;

// The values of files and environment are read now unless MPI_Init has done so, for tools look before that.
Error t_init_thread(int, int* provided) {
  const Use use;
  State& all = state();
  if (all.controls.empty()) {
    if (serving_world == nullptr && load_knobs(all_knobs()))
      return fail(MPI_T_ERR_CANNOT_INIT, "the settings of files and environment cannot be read");
    for (const KnobGroup& group : all_knobs())
      for (KnobBase* knob : group.knobs) all.controls.push_back({knob, group.component});
  }
  ++all.uses;
  give<int>(provided, MPI_THREAD_MULTIPLE);
  return {};
}

Error t_finalize() {
  const Use use;
  if (!use) return not_initialized();
  State& all = state();
  if (--all.uses > 0) return {};
  all.control_handles.clear();
  all.sessions.clear();
  return {};
}

Error t_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  const Use use;
  if (!use) return not_initialized();
  const auto* found = reinterpret_cast<const Enumeration*>(enumtype);
  if (found != &yes_or_no && found != &log_levels) return bad_handle();
  give(num, static_cast<int>(found->items.size()));
  give_text(name, name_len, found->name);
  return {};
}

Error t_enum_get_item(MPI_T_enum enumtype, int index, int* value, char* name, int* name_len) {
  const Use use;
  if (!use) return not_initialized();
  const auto* found = reinterpret_cast<const Enumeration*>(enumtype);
  if (found != &yes_or_no && found != &log_levels) return bad_handle();
  if (!within(index, found->items.size())) return fail(MPI_T_ERR_INVALID_ITEM, "the enumeration has no such item");
  const EnumItem& item = found->items[static_cast<std::size_t>(index)];
  give(value, item.value);
  give_text(name, name_len, item.name);
  return {};
}

}  // namespace ompi_lite::mpi
