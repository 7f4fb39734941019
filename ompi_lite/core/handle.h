// SPDX-License-Identifier: BSD-3-Clause
// From the handles that the application holds to objects and back.
#pragma once

#include <array>
#include <cstdint>

#include "ompi_lite/core/object.h"

namespace ompi_lite {

// Values 0..4095 are reserved for predefined handles (MPI 5.0, section 20.3); user objects are their own addresses.
inline constexpr std::uintptr_t kPredefinedHandles = 4096;

// Index: ABI value. Filled by the modules that own predefined objects (types and ops once per address space; MPI_COMM_WORLD,
// MPI_COMM_SELF and MPI_MESSAGE_NO_PROC by the process that serves the C door). The NULL handles have no object.
extern std::array<Object*, kPredefinedHandles> predefined_objects;

// Whether there is an Object to be read: any value may come from the application. Messages do not live in the ObjectSpace,
// as their number and size follow the traffic; the few that the application holds are worth a look at the mappings.
inline bool can_be_read(std::uintptr_t handle) { return handle % alignof(Object) == 0 && ObjectSpace::covers(handle); }
bool message_can_be_read(std::uintptr_t handle);

// The object behind a handle; nullptr for a NULL handle and for values that name nothing. The caller checks kind and magic.
inline Object* object_of(std::uintptr_t handle) {
  if (handle < kPredefinedHandles) return predefined_objects[handle];
  return can_be_read(handle) ? reinterpret_cast<Object*>(handle) : nullptr;
}
inline Object* message_of(std::uintptr_t handle) {
  if (handle < kPredefinedHandles) return predefined_objects[handle];
  return message_can_be_read(handle) ? reinterpret_cast<Object*>(handle) : nullptr;
}
inline bool is_live(const Object* object, ObjectKind kind) {
  return object != nullptr && object->kind == kind && object->magic == kLiveMagic;
}

// int <-> handle for MPI_*_toint and MPI_*_fromint: predefined ones keep their ABI value, others get an index from 4096 up.
int handle_to_int(Object& object);
Object* handle_from_int(int index);  // nullptr if no live object has it
void forget_int(Object& object);     // called when the object dies

}  // namespace ompi_lite
