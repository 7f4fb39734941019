// SPDX-License-Identifier: BSD-3-Clause
// The table of predefined objects, and the ints that Fortran and MPI_*_toint hold in place of handles.
#include "ompi_lite/core/handle.h"

#include <mutex>
#include <vector>

#include "ompi_lite/base/os.h"

namespace ompi_lite {

constinit std::array<Object*, kPredefinedHandles> predefined_objects{};

bool message_can_be_read(std::uintptr_t handle) {
  constexpr std::uintptr_t page = 4096;  // the smallest there is
  const std::uintptr_t last = handle + sizeof(Object) - 1;
  if (handle % alignof(Object) != 0 || last < handle) return false;
  if (!os::is_mapped(reinterpret_cast<const void*>(handle))) return false;
  return handle / page == last / page || os::is_mapped(reinterpret_cast<const void*>(last));
}

namespace {

// Objects that were given an index, in order; freed places are used again. Only toint() fills it, so C programs never touch
// it.
struct IntTable {
  std::mutex mutex;
  std::vector<Object*> objects;
  std::vector<int> free;
};

IntTable& int_table() {
  static IntTable& table = *new IntTable;  // never destroyed: objects may die after main
  return table;
}

}  // namespace

int handle_to_int(Object& object) {
  if (object.abi_handle < kPredefinedHandles) return static_cast<int>(object.abi_handle);
  IntTable& table = int_table();
  std::lock_guard lock(table.mutex);
  if (object.fortran_index >= 0) return object.fortran_index;
  int place = static_cast<int>(table.objects.size());
  if (table.free.empty()) {
    table.objects.push_back(&object);
  } else {
    place = table.free.back();
    table.free.pop_back();
    table.objects[static_cast<std::size_t>(place)] = &object;
  }
  return object.fortran_index = static_cast<int>(kPredefinedHandles) + place;
}

Object* handle_from_int(int index) {
  if (index < 0) return nullptr;
  auto value = static_cast<std::size_t>(index);
  if (value < kPredefinedHandles) return predefined_objects[value];
  IntTable& table = int_table();
  std::lock_guard lock(table.mutex);
  value -= kPredefinedHandles;
  return value < table.objects.size() ? table.objects[value] : nullptr;
}

void forget_int(Object& object) {
  if (object.fortran_index < 0) return;
  IntTable& table = int_table();
  std::lock_guard lock(table.mutex);
  int place = object.fortran_index - static_cast<int>(kPredefinedHandles);
  table.objects[static_cast<std::size_t>(place)] = nullptr;
  table.free.push_back(place);
  object.fortran_index = -1;
}

}  // namespace ompi_lite
