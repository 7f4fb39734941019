// SPDX-License-Identifier: BSD-3-Clause
// The tool interface: control variables, which are the knobs.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "ompi_lite/base/log.h"
#include "ompi_lite/base/macros.h"
#include "ompi_lite/mpi/tool.h"
#include "ompi_lite/mpi/tool_state.h"

namespace ompi_lite::mpi {

using namespace tool;

namespace {

constexpr int kTextRoom = 256;  // for texts that are written; longer ones get as much as they need

bool is_log(const KnobBase& knob) { return std::strcmp(knob.name(), "log") == 0; }

// Looked at whenever it matters; what the others say is built into the process when that comes up.
bool works_at_once(const KnobBase& knob) {
  return is_log(knob) || std::strcmp(knob.name(), "check_arguments") == 0 || std::strcmp(knob.name(), "slow_checks") == 0;
}

const Enumeration* enumeration_of(const KnobBase& knob) {
  if (knob.kind() == KnobBase::Kind::boolean) return &yes_or_no;
  return is_log(knob) ? &log_levels : nullptr;
}

MPI_Datatype type_of(const KnobBase& knob) {
  if (enumeration_of(knob) != nullptr) return MPI_INT;
  switch (knob.kind()) {
    case KnobBase::Kind::integer:
      return MPI_COUNT;
    case KnobBase::Kind::real:
      return MPI_DOUBLE;
    default:
      return MPI_CHAR;
  }
}

// All ranks must choose alike what they do together; the rest is each rank's own affair.
int scope_of(const ControlVariable& variable) {
  const std::string_view component = variable.component;
  return component == "coll" || component.starts_with("btl") ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL;
}

int verbosity_of(const KnobBase& knob) {
  return is_log(knob) || !works_at_once(knob) ? MPI_T_VERBOSITY_TUNER_BASIC : MPI_T_VERBOSITY_USER_BASIC;
}

// The value as the text that the knob understands. Empty: it is none of the enumeration's.
std::string text_of(const ControlHandle& handle, const void* buffer) {
  const KnobBase& knob = *handle.variable->knob;
  if (const Enumeration* names = enumeration_of(knob)) {
    int value = 0;
    std::memcpy(&value, buffer, sizeof value);
    for (const EnumItem& item : names->items)
      if (item.value == value) return item.name;
    return {};
  }
  if (knob.kind() == KnobBase::Kind::integer) {
    MPI_Count value = 0;
    std::memcpy(&value, buffer, sizeof value);
    return std::to_string(value);
  }
  if (knob.kind() == KnobBase::Kind::real) {
    double value = 0;
    std::memcpy(&value, buffer, sizeof value);
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
  }
  const char* text = static_cast<const char*>(buffer);
  return std::string(text, strnlen(text, static_cast<std::size_t>(handle.count)));
}

void read_value(const ControlHandle& handle, void* buffer) {
  const KnobBase& knob = *handle.variable->knob;
  const std::string text = knob.value_text();
  if (const Enumeration* names = enumeration_of(knob)) {
    for (const EnumItem& item : names->items)
      if (text == item.name) std::memcpy(buffer, &item.value, sizeof item.value);
  } else if (knob.kind() == KnobBase::Kind::integer) {
    const MPI_Count value = static_cast<const Knob<std::int64_t>&>(knob).value();
    std::memcpy(buffer, &value, sizeof value);
  } else if (knob.kind() == KnobBase::Kind::real) {
    const double value = static_cast<const Knob<double>&>(knob).value();
    std::memcpy(buffer, &value, sizeof value);
  } else {
    const std::size_t bytes = std::min(text.size(), static_cast<std::size_t>(handle.count) - 1);
    std::memcpy(buffer, text.data(), bytes);
    static_cast<char*>(buffer)[bytes] = '\0';
  }
}

}  // namespace

Error t_cvar_get_num(int* num) {
  const Use use;
  if (!use) return not_initialized();
  give(num, static_cast<int>(state().controls.size()));
  return {};
}

Error t_cvar_get_info(int index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype, MPI_T_enum* enumtype,
                      char* desc, int* desc_len, int* bind, int* scope) {
  const Use use;
  if (!use) return not_initialized();
  if (!within(index, state().controls.size())) return bad_index();
  const ControlVariable& variable = state().controls[static_cast<std::size_t>(index)];
  const KnobBase& knob = *variable.knob;
  give_text(name, name_len, knob.name());
  give_text(desc, desc_len, knob.help());
  give(verbosity, verbosity_of(knob));
  give(datatype, type_of(knob));
  give(enumtype, reinterpret_cast<MPI_T_enum>(const_cast<Enumeration*>(enumeration_of(knob))));
  give<int>(bind, MPI_T_BIND_NO_OBJECT);
  give(scope, scope_of(variable));
  return {};
}

Error t_cvar_get_index(const char* name, int* index) {
  const Use use;
  if (!use) return not_initialized();
  if (name == nullptr || index == nullptr) return fail(MPI_T_ERR_INVALID, "a null pointer is given");
  const std::vector<ControlVariable>& all = state().controls;
  const auto found =
      std::find_if(all.begin(), all.end(), [name](const auto& each) { return std::strcmp(each.knob->name(), name) == 0; });
  if (found == all.end()) return fail(MPI_T_ERR_INVALID_NAME, "no control variable has that name");
  *index = static_cast<int>(found - all.begin());
  return {};
}

Error t_cvar_handle_alloc(int index, void*, MPI_T_cvar_handle* handle, int* count) {
  const Use use;
  if (!use) return not_initialized();
  if (!within(index, state().controls.size())) return bad_index();
  if (handle == nullptr) return fail(MPI_T_ERR_INVALID, "the place for the handle is a null pointer");
  const ControlVariable& variable = state().controls[static_cast<std::size_t>(index)];
  int room = 1;
  if (type_of(*variable.knob) == MPI_CHAR)
    room = std::max(kTextRoom, static_cast<int>(variable.knob->value_text().size()) + 1);
  state().control_handles.push_back(std::make_unique<ControlHandle>(ControlHandle{&variable, room}));
  *handle = reinterpret_cast<MPI_T_cvar_handle>(state().control_handles.back().get());
  give(count, room);
  return {};
}

Error t_cvar_handle_free(MPI_T_cvar_handle* handle) {
  const Use use;
  if (!use) return not_initialized();
  ControlHandle* found = handle == nullptr ? nullptr : find(state().control_handles, *handle);
  if (found == nullptr) return bad_handle();
  drop(state().control_handles, found);
  *handle = MPI_T_CVAR_HANDLE_NULL;
  return {};
}

Error t_cvar_read(MPI_T_cvar_handle handle, void* buffer) {
  const Use use;
  if (!use) return not_initialized();
  const ControlHandle* found = find(state().control_handles, handle);
  if (found == nullptr) return bad_handle();
  if (buffer == nullptr) return fail(MPI_T_ERR_INVALID, "the buffer is a null pointer");
  read_value(*found, buffer);
  return {};
}

// The value goes into the environment too while MPI_Init is still to come: there it reads the knobs once more.
Error t_cvar_write(MPI_T_cvar_handle handle, const void* buffer) {
  const Use use;
  if (!use) return not_initialized();
  const ControlHandle* found = find(state().control_handles, handle);
  if (found == nullptr) return bad_handle();
  if (buffer == nullptr) return fail(MPI_T_ERR_INVALID, "the buffer is a null pointer");
  KnobBase& knob = *found->variable->knob;
  if (serving_world != nullptr && !works_at_once(knob))
    return fail(MPI_T_ERR_CVAR_SET_NOT_NOW, "the variable can be set before MPI is initialized");
  const std::string text = text_of(*found, buffer);
  if (text.empty() && enumeration_of(knob) != nullptr)
    return fail(MPI_T_ERR_INVALID, "the value is not one of the enumeration's");
  if (knob.set(text)) return fail(MPI_T_ERR_INVALID, "the value is out of range");
  if (is_log(knob)) {
    int level = 0;
    std::memcpy(&level, buffer, sizeof level);
    log_set_level(static_cast<LogLevel>(level));
  }
  if (serving_world == nullptr) setenv(knob.environment_name().c_str(), text.c_str(), 1);
  return {};
}

}  // namespace ompi_lite::mpi
