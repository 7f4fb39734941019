// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the tool interface share.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "ompi_lite/base/error.h"
#include "ompi_lite/base/knob.h"
#include "ompi_lite/core/communicator.h"
#include "ompi_lite/include/mpi.h"

namespace ompi_lite::mpi::tool {

struct EnumItem {
  int value;
  const char* name;
};
// An MPI_T_enum is the address of one.
struct Enumeration {
  const char* name;
  std::span<const EnumItem> items;
};
extern constinit const Enumeration yes_or_no, log_levels;

struct ControlVariable {
  KnobBase* knob;
  const char* component;
};
struct ControlHandle {
  const ControlVariable* variable;
  int count;
};

struct PerformanceVariable {
  const char* name;
  const char* component;
  const char* help;
  int variable_class;
  bool seconds;  // MPI_DOUBLE, of a count of nanoseconds; else MPI_UNSIGNED_LONG_LONG
  bool counts;   // grows for ever: each handle counts from where it was started. Else it is what it is now
  std::uint64_t (*read)();
  std::uint64_t (*read_of)(Communicator&);  // instead of `read`: bound to a communicator
};
std::span<const PerformanceVariable> performance_variables();

struct PerformanceHandle {
  const PerformanceVariable* variable;
  MPI_Comm comm = MPI_COMM_NULL;  // of a bound one; not held, it may go at any time
  bool running = false;
  std::uint64_t counted = 0, began_at = 0;
};
struct PerformanceSession {
  std::vector<std::unique_ptr<PerformanceHandle>> handles;
};

// One per address space, never destroyed. Guarded by its lock: MPI's own may not exist yet.
struct State {
  std::mutex lock;
  int uses = 0;  // MPI_T_init_thread less MPI_T_finalize
  std::vector<ControlVariable> controls;
  std::vector<std::unique_ptr<ControlHandle>> control_handles;
  std::vector<std::unique_ptr<PerformanceSession>> sessions;
};
State& state();

// Locks the state. False, and `failed` says why, where the interface is not initialized.
class Use {
 public:
  Use() : guard_(state().lock) {}
  explicit operator bool() const { return state().uses > 0; }

 private:
  std::lock_guard<std::mutex> guard_;
};

inline Error fail(int code, const char* sentence) { return Error(static_cast<ErrorClass>(code), sentence); }
inline Error not_initialized() { return fail(MPI_T_ERR_NOT_INITIALIZED, "MPI_T_init_thread was not called"); }
inline Error bad_index() { return fail(MPI_T_ERR_INVALID_INDEX, "the index is out of range"); }
inline Error bad_handle() { return fail(MPI_T_ERR_INVALID_HANDLE, "the handle names nothing"); }

inline bool within(int index, std::size_t size) { return index >= 0 && static_cast<std::size_t>(index) < size; }

template <class T>
void give(T* place, T value) {
  if (place != nullptr) *place = value;
}
void give_text(char* buffer, int* length, std::string_view text);

// The owned object at an address that the application gave; null if there is none.
template <class T>
T* find(const std::vector<std::unique_ptr<T>>& owned, const void* address) {
  for (const std::unique_ptr<T>& each : owned)
    if (each.get() == address) return each.get();
  return nullptr;
}
template <class T>
void drop(std::vector<std::unique_ptr<T>>& owned, const T* gone) {
  std::erase_if(owned, [gone](const std::unique_ptr<T>& each) { return each.get() == gone; });
}

}  // namespace ompi_lite::mpi::tool
